/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The module gprof.confinement. It confines a process to reading, for gprof.sandbox.
 *
 * It is a separate shared object, because few runs need it.
 */
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/confinement.h"

/* Returns an integer field of the table at index 1; 0 if it is negative. */
static uint64_t number_field(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  lua_Integer number = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return number > 0 ? (uint64_t)number : 0;
}

/* Returns the strings in the list `read`. Leaves the list, which owns the strings, and
 * the returned array on the stack. */
static const char **check_paths(lua_State *L, size_t *count) {
  lua_getfield(L, 1, "read");
  luaL_checktype(L, -1, LUA_TTABLE);
  int list = lua_gettop(L);
  *count = (size_t)lua_rawlen(L, list);
  const char **paths = lua_newuserdatauv(L, (*count + 1) * sizeof *paths, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    paths[i] = lua_tostring(L, -1);  /* anchored by the list */
    if (!paths[i]) luaL_error(L, "paths: string expected, got %s", luaL_typename(L, -1));
    lua_pop(L, 1);
  }
  return paths;
}

/* Converts the value on top of the stack, a Lua file or an integer, to a descriptor. */
static int to_descriptor(lua_State *L) {
  const luaL_Stream *file = luaL_testudata(L, -1, LUA_FILEHANDLE);
  return file && file->closef ? fileno(file->f) : (int)luaL_checkinteger(L, -1);
}

/* Returns the descriptors in the list `keep`. Leaves the list and the returned array on
 * the stack. */
static int *check_descriptors(lua_State *L, size_t *count) {
  lua_getfield(L, 1, "keep");
  luaL_checktype(L, -1, LUA_TTABLE);
  int list = lua_gettop(L);
  *count = (size_t)lua_rawlen(L, list);
  int *descriptors = lua_newuserdatauv(L, (*count + 1) * sizeof *descriptors, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    descriptors[i] = to_descriptor(L);
    lua_pop(L, 1);
  }
  return descriptors;
}

/* Makes standard input read-only. A terminal, for example, is usually also open for
 * writing. Such an input is reopened for reading, at the same position. A socket cannot
 * be reopened (ENXIO), and is left as it is. */
static bool make_read_only(int input) {
  int how = fcntl(input, F_GETFL);
  if (how < 0 || (how & O_ACCMODE) != O_RDWR) return true;
  int file = open("/dev/stdin", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return errno == ENXIO;
  off_t place = lseek(input, 0, SEEK_CUR);
  return (place < 0 || lseek(file, place, SEEK_SET) >= 0) && dup2(file, input) >= 0;
}

/* Makes standard input read-only if `input` is true, otherwise empty. Redirects standard
 * error, to which libraries may write, to the descriptor `noise`. */
static bool set_streams(bool input, int noise, gp_error *error) {
  int null = input ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool done = (input ? make_read_only(STDIN_FILENO)
                     : null >= 0 && dup2(null, STDIN_FILENO) >= 0) &&
              dup2(noise, STDERR_FILENO) >= 0;
  if (!done) gp_fail(error, "cannot redirect standard streams (%s)", strerror(errno));
  return done;
}

/* confine(options) -> true; or nil and a message if the process is not confined.
 * Options: the limits `memory` and `file` (in bytes) and `seconds`; `read`, a list of
 * paths; `noise`, a file for standard error; `keep`, a list of files and descriptors to
 * keep open; `input`, whether to keep standard input open */
static int confine(lua_State *L) {
  gp_error error = {""};
  size_t path_count, kept;
  luaL_checktype(L, 1, LUA_TTABLE);
  gp_limits limits = {number_field(L, "memory"), number_field(L, "seconds"),
                      number_field(L, "file")};
  const char **paths = check_paths(L, &path_count);
  int *keep = check_descriptors(L, &kept);
  bool input = lua_getfield(L, 1, "input") != LUA_TNIL && lua_toboolean(L, -1);
  lua_getfield(L, 1, "noise");
  if (set_streams(input, to_descriptor(L), &error) && gp_limit(&limits, &error) &&
      gp_restrict_paths(paths, path_count, &error) &&
      gp_close_others(keep, kept, &error) && gp_restrict_calls(&error)) {
    lua_pushboolean(L, true);
    return 1;
  }
  luaL_pushfail(L);
  lua_pushstring(L, error.text);
  return 2;
}

/* leave(): exits without running exit handlers */
static int leave(lua_State *L) {
  (void)L;
  fflush(NULL);
  _exit(EXIT_SUCCESS);
}

/* describe(signal) -> the description of a signal, such as "Segmentation fault" */
static int describe(lua_State *L) {
  lua_pushstring(L, strsignal((int)luaL_checkinteger(L, 1)));
  return 1;
}

/* the only exported symbol */
__attribute__((visibility("default"))) int luaopen_gprof_confinement(lua_State *L);

int luaopen_gprof_confinement(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"confine", confine}, {"leave", leave}, {"describe", describe}, {NULL, NULL}};
  luaL_checkversion(L);
  luaL_newlib(L, functions);
  lua_pushinteger(L, SIGXCPU);
  lua_setfield(L, -2, "OUT_OF_TIME");
  lua_pushinteger(L, SIGXFSZ);
  lua_setfield(L, -2, "OUT_OF_ROOM");
  return 1;
}
