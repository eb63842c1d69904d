/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/bytecode.h"

#include <lauxlib.h>

/* Leaves the stack as it was. */
bool scr_finds_prototypes(lua_State *L) {
  static const char text[] =
      "local function f(x) return function() return x end end return f(1), f(2), f";
  const int top = lua_gettop(L);
  const void *closure[3];
  bool done = luaL_loadbufferx(L, text, sizeof text - 1, "=", "t") == LUA_OK &&
              lua_pcall(L, 0, 3, 0) == LUA_OK;
  for (int i = 0; done && i < 3; i++) closure[i] = lua_topointer(L, top + 1 + i);
  done = done && scr_prototype_of(closure[0]) == scr_prototype_of(closure[1]) &&
         scr_prototype_of(closure[0]) != scr_prototype_of(closure[2]);
  lua_settop(L, top);
  return done;
}

/* The bytes before the source: the header, and the number of upvalues. */
enum { HEAD = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1 };

typedef struct reading {
  gp_crc32 *crc;
  uint64_t skip;        /* bytes to leave out: the head, or the source */
  uint64_t size;        /* of the source, plus 1: seven bits in each byte */
  bool has_size;
} reading;

/* A lua_Writer. */
static int read_piece(lua_State *L, const void *piece, size_t size, void *data) {
  (void)L;
  reading *r = data;
  const unsigned char *at = piece, *end = at + size;
  while (at < end && (r->skip > 0 || !r->has_size)) {
    const unsigned char byte = *at++;
    if (r->skip > 0) {
      r->skip--;
      continue;
    }
    r->size = r->size << 7 | (byte & 0x7f);
    r->has_size = byte & 0x80;
    if (r->has_size && r->size > 0) r->skip = r->size - 1;
  }
  gp_crc32_add(r->crc, at, (size_t)(end - at));
  return 0;
}

uint32_t scr_checksum(gp_crc32 *crc, lua_State *L) {
  reading r = {crc, HEAD, 0, false};
  crc->inverted = UINT32_MAX;
  lua_dump(L, read_piece, &r, 1);
  return gp_crc32_value(crc);
}
