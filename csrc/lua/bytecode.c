/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For gprof.library.bundle: reads the bundle in few system calls, and computes checksums.
 * Bytecode is verified before it is loaded, because Lua loads it without checks. */
#include <fcntl.h>
#include <inttypes.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lua/module.h"

#define GP_BUNDLE "gprof.bundle"

/* lua_ident names the release. It is weak, because some interpreters do not export it. */
#pragma weak lua_ident

/* lua_release() -> release of the interpreter, such as "5.4.4"; nil if unknown.
 * All 5.4 releases load each other's bytecode, but may report wrong line numbers. */
static int lua_release(lua_State *L) {
  static const char head[] = "$LuaVersion: Lua ";
  if (&lua_ident && strncmp(lua_ident, head, sizeof head - 1) == 0) {
    const char *release = lua_ident + sizeof head - 1;
    lua_pushlstring(L, release, strspn(release, "0123456789."));
  } else {
    luaL_pushfail(L);
  }
  return 1;
}

/* Adds eight bytes to a checksum. The checksum does not protect against forgery: an
 * attacker who can write the bundle can also write the core. */
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

static void push_checksum(lua_State *L, uint64_t sum, uint64_t length) {
  lua_pushinteger(L, (lua_Integer)add_word(sum, length));
}

/* checksum(text) -> integer */
static int checksum(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  push_checksum(L, add(0, text, length), length);
  return 1;
}

/* file_checksum(path) -> checksum of the file's contents; nothing if it cannot be read */
static int file_checksum(lua_State *L) {
  FILE *file = fopen(luaL_checkstring(L, 1), "rb");
  if (!file) return 0;
  char bytes[16384];
  uint64_t sum = 0, length = 0;
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0; length += got)
    sum = add(sum, bytes, got);
  bool failed = ferror(file);
  (void)fclose(file);
  if (failed) return 0;
  push_checksum(L, sum, length);
  return 1;
}

/* file_stamp(path) -> size of a regular file in bytes, and the time in nanoseconds at
 * which its contents last changed, as hexadecimal text "SIZE TIME"; nothing if there is
 * no such file */
static int file_stamp(lua_State *L) {
  struct stat status;
  if (stat(luaL_checkstring(L, 1), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  uint64_t time = (uint64_t)status.st_mtim.tv_sec * 1000000000u +
                  (uint64_t)status.st_mtim.tv_nsec;
  char text[40];
  (void)snprintf(text, sizeof text, "%" PRIx64 " %" PRIx64, (uint64_t)status.st_size,
                 time);
  lua_pushstring(L, text);
  return 1;
}

typedef struct bundle {
  int file;      /* descriptor; -1 once closed */
  size_t size;   /* of the file, in bytes */
} bundle;

static int close_bundle(lua_State *L) {
  bundle *b = luaL_checkudata(L, 1, GP_BUNDLE);
  if (b->file >= 0) close(b->file);
  b->file = -1;
  return 0;
}

/* open_bundle(path) -> a file for read_bundle, which the collector closes; nothing if the
 * file cannot be opened */
static int open_bundle(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct stat status;
  bundle *b = lua_newuserdatauv(L, sizeof *b, 0);
  *b = (bundle){-1, 0};
  luaL_setmetatable(L, GP_BUNDLE);
  b->file = open(path, O_RDONLY | O_CLOEXEC);
  if (b->file < 0 || fstat(b->file, &status) != 0) return 0;
  b->size = (size_t)status.st_size;
  return 1;
}

/* read_bundle(file, offset, length) -> the bytes there; fewer at the end of the file;
 * nothing after an error, or if the length exceeds the size of the file, which may be
 * that of a damaged header */
static int read_bundle(lua_State *L) {
  const bundle *b = luaL_checkudata(L, 1, GP_BUNDLE);
  off_t offset = (off_t)luaL_checkinteger(L, 2);
  lua_Number given = luaL_checknumber(L, 3);
  luaL_Buffer buffer;
  if (given > (lua_Number)b->size) return 0;
  size_t length = (size_t)given;
  ssize_t got = pread(b->file, luaL_buffinitsize(L, &buffer, length), length, offset);
  if (got < 0) return 0;
  luaL_pushresultsize(&buffer, (size_t)got);
  return 1;
}

void gp_define_bytecode(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", close_bundle}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"lua_release", lua_release},
                                       {"checksum", checksum},
                                       {"file_checksum", file_checksum},
                                       {"file_stamp", file_stamp},
                                       {"open_bundle", open_bundle},
                                       {"read_bundle", read_bundle},
                                       {NULL, NULL}};
  luaL_newmetatable(L, GP_BUNDLE);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
