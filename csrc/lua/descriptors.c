/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipes, temporary files, redirection and reading from pipes, for Lua. */
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lua/arguments.h"
#include "lua/module.h"

#define PIECE ((size_t)65536)  /* bytes that are read at once */

static int close_end(lua_State *L) {
  luaL_Stream *end = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  return luaL_fileresult(L, fclose(end->f) == 0, NULL);
}

/* Pushes a Lua file object, still closed. */
static luaL_Stream *push_file(lua_State *L) {
  luaL_Stream *file = lua_newuserdatauv(L, sizeof *file, 0);
  file->closef = NULL;
  luaL_setmetatable(L, LUA_FILEHANDLE);
  return file;
}

/* Opens a Lua file on a descriptor. Closes the descriptor if that fails. */
static bool open_end(luaL_Stream *file, int descriptor, const char *mode) {
  file->f = fdopen(descriptor, mode);
  if (file->f)
    file->closef = close_end;
  else
    close(descriptor);
  return file->f != NULL;
}

/* pipe() -> the end to read from, the end to write to; or nil and a message */
static int new_pipe(lua_State *L) {
  int ends[2];
  luaL_Stream *reading = push_file(L), *writing = push_file(L);
  if (pipe2(ends, O_CLOEXEC) != 0)
    return gp_push_system_failure(L, "cannot create a pipe");
  bool opened = open_end(reading, ends[0], "r");
  opened = open_end(writing, ends[1], "w") && opened;
  return opened ? 2 : gp_push_system_failure(L, "cannot create a pipe");
}

/* spool() -> a temporary file open for writing and reading; or nil and a message. The
 * file is in TMPDIR, because it may be large and users set TMPDIR to choose between disk
 * and memory. If that file system does not support unnamed files, the file is in
 * memory. */
static int new_spool(lua_State *L) {
  const char *directory = getenv("TMPDIR");
  luaL_Stream *spool = push_file(L);
  /* Other processes cannot open an unnamed file. The kernel removes it when the last
   * process that has it open exits, even if that process is killed. */
  int file = open(directory && *directory ? directory : P_tmpdir,
                  O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) file = memfd_create("gprof", MFD_CLOEXEC);
  if (file >= 0 && open_end(spool, file, "w+")) return 1;
  return gp_push_system_failure(L, "cannot create a temporary file");
}

/* Reads up to PIECE bytes. If `ahead` is not negative, reads at that distance from the
 * file's position, which does not change. */
static ssize_t read_piece(int file, char *bytes, off_t ahead) {
  ssize_t got;
  off_t at = ahead < 0 ? 0 : lseek(file, 0, SEEK_CUR);
  if (at < 0) return -1;
  do got = ahead < 0 ? read(file, bytes, PIECE) : pread(file, bytes, PIECE, at + ahead);
  while (got < 0 && errno == EINTR);
  return got;
}

/* read_available(file [, ahead]) -> the bytes that can be read, at least one; waits for
 * the first. With `ahead`, the bytes from there on, which are not consumed. Nothing at
 * the end; or nil and a message. Nothing may have been read with Lua's functions. */
static int read_available(lua_State *L) {
  int file = gp_check_open_file(L, 1);
  off_t ahead = (off_t)luaL_optinteger(L, 2, -1);
  luaL_Buffer buffer;
  char *bytes = luaL_buffinitsize(L, &buffer, PIECE);
  ssize_t got = read_piece(file, bytes, ahead);
  if (got < 0) {
    luaL_pushfail(L);
    lua_pushstring(L, strerror(errno));
    return 2;
  }
  if (got == 0) return 0;
  luaL_pushresultsize(&buffer, (size_t)got);
  return 1;
}

/* redirect(file, to): makes the descriptor of `file` refer to the open file of `to`, as
 * dup2 does. */
static int redirect(lua_State *L) {
  const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  const luaL_Stream *to = luaL_checkudata(L, 2, LUA_FILEHANDLE);
  luaL_argcheck(L, file->closef, 1, "file is closed");
  luaL_argcheck(L, to->closef, 2, "file is closed");
  fflush(file->f);
  if (dup2(fileno(to->f), fileno(file->f)) < 0)
    return luaL_error(L, "cannot redirect a file: %s", strerror(errno));
  return 0;
}

/* open_standard_files(): opens /dev/null for each standard descriptor that is closed.
 * Otherwise the next file opened would get this descriptor, and messages would go into
 * that file. Standard input is opened for writing and the others for reading, so that
 * using them is still an error. */
static int open_standard_files(lua_State *L) {
  (void)L;
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
    if (fcntl(file, F_GETFD) < 0 &&
        open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      break;
  return 0;
}

void gp_define_descriptors(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"read_available", read_available}, {"pipe", new_pipe},
      {"spool", new_spool}, {"redirect", redirect},
      {"open_standard_files", open_standard_files}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
