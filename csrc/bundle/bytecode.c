/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What identifies bytecode and the source that it was compiled from; also for
 * lua/bundle.lua, which writes the bundle. */
#include "bundle/bytecode.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"

/* lua_ident names the release. It is weak, because some interpreters do not export it. */
#pragma weak lua_ident

const char *gp_lua_release(size_t *length) {
  static const char head[] = "$LuaVersion: Lua ";
  if (!&lua_ident || strncmp(lua_ident, head, sizeof head - 1) != 0) return NULL;
  const char *release = lua_ident + sizeof head - 1;
  *length = strspn(release, "0123456789.");
  return release;
}

/* Files are read, and hashed, in pieces of this size. The words of a piece are divided
 * among several hashes, on which a processor works in parallel. No step loses anything,
 * so any change of a single word changes the result. */
enum { PIECE = 16384, LANES = 4 };

static uint64_t hash_piece(uint64_t sum, const char *bytes, size_t length) {
  uint64_t lanes[LANES] = {sum + length, 1, 2, 3};
  for (; length >= sizeof lanes; bytes += sizeof lanes, length -= sizeof lanes)
    for (int i = 0; i < LANES; i++) {
      uint64_t word;
      memcpy(&word, bytes + (size_t)i * sizeof word, sizeof word);
      word ^= lanes[i];
      lanes[i] = (word << 29 | word >> 35) * UINT64_C(0xff51afd7ed558ccd);
    }
  sum = gp_hash_bytes(sum, bytes, length);
  return gp_hash_bytes(sum, (const char *)lanes, sizeof lanes);
}

uint64_t gp_bytecode_checksum(const char *bytes, size_t length) {
  uint64_t sum = 0;
  for (size_t piece; length > 0; bytes += piece, length -= piece) {
    piece = length < PIECE ? length : PIECE;
    sum = hash_piece(sum, bytes, piece);
  }
  return sum;
}

bool gp_bytecode_file_checksum(const char *path, uint64_t *result) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char bytes[PIECE];
  *result = 0;
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
    *result = hash_piece(*result, bytes, got);
  bool failed = ferror(file);
  (void)fclose(file);
  return !failed;
}

bool gp_read_signature(const char *path, gp_file_signature *signature) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  signature->size = (uint64_t)status.st_size;
  signature->time = (uint64_t)status.st_mtim.tv_sec * 1000000000u +
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

/* file_signature(path) -> size and time of a regular file, as hexadecimal text "SIZE
 * TIME"; nothing if there is no such file */
static int file_signature(lua_State *L) {
  gp_file_signature signature;
  if (!gp_read_signature(luaL_checkstring(L, 1), &signature)) return 0;
  char text[40];
  (void)snprintf(text, sizeof text, "%" PRIx64 " %" PRIx64, signature.size,
                 signature.time);
  lua_pushstring(L, text);
  return 1;
}

void gp_define_bytecode(lua_State *L) {
  static const luaL_Reg functions[] = {{"lua_release", lua_release},
                                       {"bytecode_checksum", bytecode_checksum},
                                       {"file_signature", file_signature},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
