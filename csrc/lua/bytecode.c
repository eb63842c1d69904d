/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What identifies bytecode and the source that it was compiled from; also for
 * lua/bundle.lua, which writes the bundle. */
#include "lua/bytecode.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lua/module.h"

/* lua_ident names the release. It is weak, because some interpreters do not export it. */
#pragma weak lua_ident

const char *gp_lua_release(size_t *length) {
  static const char head[] = "$LuaVersion: Lua ";
  if (!&lua_ident || strncmp(lua_ident, head, sizeof head - 1) != 0) return NULL;
  const char *release = lua_ident + sizeof head - 1;
  *length = strspn(release, "0123456789.");
  return release;
}

/* Adds eight bytes to a checksum. */
static uint64_t add_word(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * UINT64_C(0xff51afd7ed558ccd);
  return sum ^ sum >> 32;
}

/* Adds bytes to a checksum. The length must be a multiple of eight except in the last
 * call. */
static uint64_t add(uint64_t sum, const char *bytes, size_t length) {
  uint64_t word;
  for (; length >= sizeof word; bytes += sizeof word, length -= sizeof word) {
    memcpy(&word, bytes, sizeof word);
    sum = add_word(sum, word);
  }
  if (length == 0) return sum;
  word = 0;
  memcpy(&word, bytes, length);
  return add_word(sum, word);
}

uint64_t gp_bytecode_checksum(const char *bytes, size_t length) {
  return add_word(add(0, bytes, length), length);
}

bool gp_bytecode_file_checksum(const char *path, uint64_t *sum) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char bytes[16384];
  uint64_t length = 0;
  *sum = 0;
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0; length += got)
    *sum = add(*sum, bytes, got);
  *sum = add_word(*sum, length);
  bool failed = ferror(file);
  (void)fclose(file);
  return !failed;
}

bool gp_file_stamp(const char *path, gp_stamp *stamp) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  stamp->size = (uint64_t)status.st_size;
  stamp->time = (uint64_t)status.st_mtim.tv_sec * 1000000000u +
                (uint64_t)status.st_mtim.tv_nsec;
  return true;
}

/* lua_release() -> release of the interpreter, such as "5.4.4"; nil if unknown */
static int lua_release(lua_State *L) {
  size_t length = 0;
  const char *release = gp_lua_release(&length);
  if (release) lua_pushlstring(L, release, length);
  else luaL_pushfail(L);
  return 1;
}

/* bytecode_checksum(text) -> integer */
static int bytecode_checksum(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_pushinteger(L, (lua_Integer)gp_bytecode_checksum(text, length));
  return 1;
}

/* file_stamp(path) -> size and time of a regular file, as hexadecimal text "SIZE TIME";
 * nothing if there is no such file */
static int file_stamp(lua_State *L) {
  gp_stamp stamp;
  if (!gp_file_stamp(luaL_checkstring(L, 1), &stamp)) return 0;
  char text[40];
  (void)snprintf(text, sizeof text, "%" PRIx64 " %" PRIx64, stamp.size, stamp.time);
  lua_pushstring(L, text);
  return 1;
}

void gp_define_bytecode(lua_State *L) {
  static const luaL_Reg functions[] = {{"lua_release", lua_release},
                                       {"bytecode_checksum", bytecode_checksum},
                                       {"file_stamp", file_stamp},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
