/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/source.h"

#include <fcntl.h>
#include <lauxlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 24 };

/* Reads a file of `size` bytes. Returns the number of bytes read. */
static size_t read_file(const char *path, char *bytes, size_t size) {
  struct stat about;
  size_t count = 0;
  ssize_t now = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return 0;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode))
    while (count < size && (now = read(file, bytes + count, size - count)) > 0)
      count += (size_t)now;
  close(file);
  return count;
}

int scr_source(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0 ||
      about.st_size > MOST_BYTES)
    return 0;
  char *bytes = lua_newuserdatauv(L, (size_t)about.st_size, 0);
  const size_t size = read_file(path, bytes, (size_t)about.st_size);
  if (size == 0) return 0;
  lua_pushlstring(L, bytes, size);
  lua_pushinteger(L, (lua_Integer)about.st_ctim.tv_sec * 1000000000 +
                         about.st_ctim.tv_nsec);
  return 2;
}

int scr_directory(lua_State *L) {
  struct stat about;
  if (stat(".", &about) != 0) return 0;
  lua_pushfstring(L, "%I %I", (lua_Integer)about.st_dev, (lua_Integer)about.st_ino);
  return 1;
}
