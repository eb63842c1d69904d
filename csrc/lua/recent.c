/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys that were added last, for Lua. */
#include <lauxlib.h>

#include "base/bytes.h"
#include "base/recent.h"
#include "lua/digest.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_RECENT_KEYS "gprof.recent"

/* Size of a packed key and its number, in bytes. */
enum { PACKED = 20 };

static const gp_layout little = {.pointer_size = 8};

static gp_recent *check_recent(lua_State *L) {
  return luaL_checkudata(L, 1, GP_RECENT_KEYS);
}

static int free_recent(lua_State *L) {
  gp_recent_free(check_recent(L));
  gp_recent_init(check_recent(L));
  return 0;
}

/* recent:find(key) -> the number of a key, a string; nil if the key is unknown. The set
 * has only the digests of keys */
static int find(lua_State *L) {
  uint32_t number;
  if (gp_recent_find(check_recent(L), gp_check_digest(L, 2), &number))
    lua_pushinteger(L, number);
  else
    lua_pushnil(L);
  return 1;
}

/* recent:add(key, number): adds a key, unless it is known */
static int add(lua_State *L) {
  gp_recent *recent = check_recent(L);
  gp_key key = gp_check_digest(L, 2);
  uint32_t known, number = (uint32_t)luaL_checkinteger(L, 3);
  if (!gp_recent_find(recent, key, &known) && !gp_recent_add(recent, key, number))
    gp_raise_no_memory(L);
  return 0;
}

static void pack_keys(luaL_Buffer *buffer, const gp_recent_keys *keys) {
  for (size_t i = 0; i < keys->count; i++) {
    unsigned char *bytes = (unsigned char *)luaL_prepbuffsize(buffer, PACKED);
    gp_put_u64(bytes, keys->keys[i].first, little);
    gp_put_u64(bytes + 8, keys->keys[i].second, little);
    gp_put_u32(bytes + 16, keys->numbers[i], little);
    luaL_addsize(buffer, PACKED);
  }
}

/* recent:pack() -> a string, from which recent(string) makes the same set */
static int pack(lua_State *L) {
  const gp_recent *recent = check_recent(L);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  pack_keys(&buffer, &recent->generations[1 - recent->younger]);
  pack_keys(&buffer, &recent->generations[recent->younger]);
  luaL_pushresult(&buffer);
  return 1;
}

static bool unpack(gp_recent *recent, const unsigned char *bytes, size_t size) {
  for (; size >= PACKED; bytes += PACKED, size -= PACKED) {
    gp_key key = {gp_u64(bytes, little), gp_u64(bytes + 8, little)};
    uint32_t known;
    if (!gp_recent_find(recent, key, &known) &&
        !gp_recent_add(recent, key, gp_u32(bytes + 16, little)))
      return false;
  }
  return true;
}

/* recent([packed]) -> a set: an empty one, or the one that was packed */
static int new_recent(lua_State *L) {
  size_t size;
  const char *packed = luaL_optlstring(L, 1, "", &size);
  gp_recent *recent = lua_newuserdatauv(L, sizeof *recent, 0);
  gp_recent_init(recent);
  luaL_setmetatable(L, GP_RECENT_KEYS);
  return unpack(recent, (const unsigned char *)packed, size) ? 1 : gp_raise_no_memory(L);
}

void gp_define_recent(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", free_recent}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"find", find}, {"add", add}, {"pack", pack}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"recent", new_recent}, {NULL, NULL}};
  gp_define_object(L, GP_RECENT_KEYS, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
