/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/save.h"

#include <lauxlib.h>
#include <string.h>

#include "base/writer.h"

static bool put(gp_writer *writer, const char *bytes, size_t size) {
  while (size > 0) {
    size_t part = size < GP_WRITER_WINDOW ? size : GP_WRITER_WINDOW;
    unsigned char *room = gp_writer_room(writer, part);
    if (!room) return false;
    memcpy(room, bytes, part);
    bytes += part;
    size -= part;
  }
  return true;
}

int scr_save(lua_State *L) {
  size_t size;
  const char *path = luaL_checkstring(L, 1), *bytes = luaL_checklstring(L, 2, &size);
  const gp_writer_path kind = lua_toboolean(L, 3) ? GP_PATH_DERIVED : GP_PATH_CHOSEN;
  gp_error error;
  gp_writer writer;
  bool done = gp_writer_open(&writer, path, kind, &error) &&
              gp_writer_close(&writer, put(&writer, bytes, size));
  if (!done) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", path, error.text);
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}
