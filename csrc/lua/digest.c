/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests of texts, for Lua. */
#include "lua/digest.h"

#include <lauxlib.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "lua/module.h"

gp_key gp_check_digest(lua_State *L, int index) {
  size_t length;
  const char *text = luaL_checklstring(L, index, &length);
  return (gp_key){gp_hash_bytes(1, text, length), gp_hash_bytes(2, text, length)};
}

/* digest(text) -> its short digest, 16 bytes; see gp_check_digest */
static int digest(lua_State *L) {
  static const gp_layout little = {.pointer_size = 8};
  unsigned char bytes[16];
  gp_key key = gp_check_digest(L, 1);
  gp_put_u64(bytes, key.first, little);
  gp_put_u64(bytes + 8, key.second, little);
  lua_pushlstring(L, (const char *)bytes, sizeof bytes);
  return 1;
}

/* sha256(text) -> its digest, 32 bytes */
static int sha256(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  unsigned char bytes[GP_SHA256_SIZE];
  gp_sha256(text, length, bytes);
  lua_pushlstring(L, (const char *)bytes, sizeof bytes);
  return 1;
}

void gp_define_digest(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"digest", digest}, {"sha256", sha256}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
