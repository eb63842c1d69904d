/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Archives for Lua, and what profiles are read from: paths, open files, members. */
#include "lua/archive.h"

#include <string.h>

#include "base/tar.h"
#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_ARCHIVE "gprof.archive"

/* User values of a box: the name of the archive, and that of the current member, as in
 * messages. */
enum { ARCHIVE_NAME = 1, MEMBER_NAME };

/* Bytes of a member that next() returns: the heads of profiles. */
#define HEAD ((size_t)128)

typedef struct archive_box {
  gp_tar tar;
  gp_reader reader;
  gp_error error;         /* of the reader */
  bool open;
} archive_box;

static archive_box *check_open(lua_State *L, int index) {
  archive_box *box = luaL_checkudata(L, index, GP_ARCHIVE);
  luaL_argcheck(L, box->open, index, "archive is closed");
  return box;
}

static int close_archive(lua_State *L) {
  archive_box *box = luaL_checkudata(L, 1, GP_ARCHIVE);
  if (box->open) {
    gp_tar_free(&box->tar);
    gp_reader_close(&box->reader);
  }
  box->open = false;
  return 0;
}

/* archive(path) -> archive; or nil and a message */
static int new_archive(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  archive_box *box = lua_newuserdatauv(L, sizeof *box, MEMBER_NAME);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, GP_ARCHIVE);
  if (!gp_reader_open(&box->reader, path, &box->error))
    return gp_push_failure(L, path, &box->error);
  gp_tar_init(&box->tar, &box->reader);
  box->open = true;
  lua_pushstring(L, strcmp(path, "-") == 0 ? "standard input" : path);
  lua_setiuservalue(L, -2, ARCHIVE_NAME);
  return 1;
}

/* archive:next() -> name, size, the first bytes; at the end, nothing. If the member
 * cannot be read: name, nil, and a message. If the archive cannot be read: nil and a
 * message. */
static int go_to_next(lua_State *L) {
  archive_box *box = check_open(L, 1);
  gp_tar *tar = &box->tar;
  gp_tar_state state = gp_tar_next(tar);
  if (state == GP_TAR_END) return 0;
  if (state == GP_TAR_FAILED) {
    lua_getiuservalue(L, 1, ARCHIVE_NAME);
    return gp_push_failure(L, lua_tostring(L, -1), &box->error);
  }
  lua_settop(L, 1);
  lua_pushlstring(L, tar->name.bytes, tar->name.size);
  lua_getiuservalue(L, 1, ARCHIVE_NAME);
  lua_pushfstring(L, "%s(%s)", lua_tostring(L, -1), lua_tostring(L, 2));
  lua_setiuservalue(L, 1, MEMBER_NAME);  /* in messages */
  lua_settop(L, 2);
  if (tar->problem) {
    lua_pushnil(L);
    lua_getiuservalue(L, 1, MEMBER_NAME);
    lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), tar->problem);
    lua_remove(L, -2);
    return 3;
  }
  size_t size;
  const unsigned char *head = gp_tar_peek(tar, HEAD, &size);
  lua_pushinteger(L, (lua_Integer)tar->size);
  lua_pushlstring(L, (const char *)head, head ? size : 0);
  return 3;
}

/* archive:hold() -> archive: the member can be read several times; or nil and a
 * message */
static int hold(lua_State *L) {
  archive_box *box = check_open(L, 1);
  gp_error error = {""};
  if (!gp_tar_hold(&box->tar, &error))
    return gp_push_failure(L, gp_check_input(L, 1), &error);
  lua_settop(L, 1);
  return 1;
}

/* archive:text() -> the content of a member that is held */
static int get_text(lua_State *L) {
  const archive_box *box = check_open(L, 1);
  luaL_argcheck(L, box->tar.held, 1, "member is not held");
  lua_pushlstring(L, box->tar.memory.bytes, box->tar.memory.size);
  return 1;
}

const char *gp_check_input(lua_State *L, int index) {
  if (!lua_isuserdata(L, index)) return luaL_checkstring(L, index);
  if (!luaL_testudata(L, index, GP_ARCHIVE)) {
    gp_check_open_file(L, index);
    return "open file";
  }
  check_open(L, index);
  lua_getiuservalue(L, index, MEMBER_NAME);
  const char *name = lua_tostring(L, -1);
  luaL_argcheck(L, name, index, "archive has no current member");
  lua_pop(L, 1);  /* the archive keeps the string alive */
  return name;
}

bool gp_open_input(lua_State *L, int index, gp_reader *reader, gp_error *error) {
  archive_box *box = luaL_testudata(L, index, GP_ARCHIVE);
  if (box) return gp_tar_open(&box->tar, reader, error);
  if (lua_isuserdata(L, index))
    return gp_reader_share(reader, gp_check_open_file(L, index), error);
  return gp_reader_open(reader, lua_tostring(L, index), error);
}

void gp_define_archive(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_archive}, {"__close", close_archive}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"next", go_to_next}, {"hold", hold}, {"text", get_text},
      {"close", close_archive}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"archive", new_archive}, {NULL, NULL}};
  gp_define_object(L, GP_ARCHIVE, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
