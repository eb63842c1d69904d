/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Atomic file replacement for Lua: files that are written as a whole or not at all. */
#include "lua/writer.h"

#include <string.h>

#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_WRITER "gprof.writer"

typedef struct writer_box {
  gp_writer writer;
  gp_error error;
  uint64_t count;        /* of bytes, if the writer only counts them */
  bool open;
} writer_box;

static writer_box *check_open(lua_State *L, int index, writer_box *box) {
  luaL_argcheck(L, box->open, index, "file is closed");
  return box;
}

static writer_box *check_writer(lua_State *L) {
  return check_open(L, 1, luaL_checkudata(L, 1, GP_WRITER));
}

gp_writer *gp_test_writer(lua_State *L, int index) {
  writer_box *box = luaL_testudata(L, index, GP_WRITER);
  return box ? &check_open(L, index, box)->writer : NULL;
}

/* Makes an empty box for the file at `path`, and pushes it. */
static writer_box *push_box(lua_State *L, const char *path) {
  writer_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, GP_WRITER);
  lua_pushstring(L, strcmp(path, "-") == 0 ? "standard output" : path);
  lua_setiuservalue(L, -2, 1);
  return box;
}

/* companion_writer(path, magic [, last_name]) -> writer; or nil and a message. The path
 * is that of a file beside another one; see gp_writer_open_companion. With `last_name`,
 * the file has the name `path` only until the files of its list have their names. */
static int new_companion_writer(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *magic = luaL_checkstring(L, 2);
  const char *last_name = luaL_optstring(L, 3, NULL);
  writer_box *box = push_box(L, last_name ? last_name : path);
  if (!(last_name ? gp_writer_open_renamed(&box->writer, path, last_name, magic,
                                           &box->error)
                  : gp_writer_open_companion(&box->writer, path, magic, &box->error)))
    return gp_push_writer_failure(L, lua_gettop(L));
  box->open = true;
  return 1;
}

/* writer(path, kind, is_first) -> writer; or nil and a message. `kind` says who chose the
 * path (see gp_writer_path). With `is_first`, finish() fails if a file of that name
 * exists by then. */
static int new_writer(lua_State *L) {
  static const char *const kinds[] = {"chosen", "confined", "derived", NULL};
  const char *path = luaL_checkstring(L, 1);
  gp_writer_path kind = (gp_writer_path)luaL_checkoption(L, 2, "chosen", kinds);
  bool is_first = lua_toboolean(L, 3);
  writer_box *box = push_box(L, path);
  if (!gp_writer_open(&box->writer, path, kind, &box->error))
    return gp_push_writer_failure(L, lua_gettop(L));
  box->writer.is_first = is_first;
  box->open = true;
  return 1;
}

static bool count_bytes(void *into, const unsigned char *bytes, size_t size,
                        gp_error *error) {
  uint64_t *count = into;
  (void)bytes;
  (void)error;
  *count += size;
  return true;
}

/* counter() -> a writer that only counts bytes; see writer:count */
static int new_counter(lua_State *L) {
  writer_box *box = push_box(L, "bytes");
  if (!gp_writer_send(&box->writer, count_bytes, &box->count, &box->error))
    return gp_push_writer_failure(L, lua_gettop(L));
  box->open = true;
  return 1;
}

/* writer:count() -> the number of bytes that were written to a counter. Closes it. */
static int count_written(lua_State *L) {
  writer_box *box = check_writer(L);
  box->open = false;
  if (!gp_writer_close(&box->writer, true)) return gp_push_writer_failure(L, 1);
  lua_pushinteger(L, (lua_Integer)box->count);
  return 1;
}

int gp_push_writer_failure(lua_State *L, int index) {
  const writer_box *box = lua_touserdata(L, index);
  lua_getiuservalue(L, index, 1);
  return gp_push_failure(L, lua_tostring(L, -1), &box->error);
}

/* writer:write(text) -> writer, or nil and a message */
static int write_text(lua_State *L) {
  writer_box *box = check_writer(L);
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  while (length > 0) {
    size_t piece = length < GP_WRITER_WINDOW ? length : GP_WRITER_WINDOW;
    unsigned char *room = gp_writer_room(&box->writer, piece);
    if (!room) return gp_push_writer_failure(L, 1);
    memcpy(room, text, piece);
    text += piece;
    length -= piece;
  }
  lua_settop(L, 1);
  return 1;
}

static bool has_failed(const writer_box *box) { return box->error.text[0] != '\0'; }

/* writer:finish() -> true: the file is complete and in place; or nil and a message */
static int finish(lua_State *L) {
  writer_box *box = check_writer(L);
  box->open = false;
  if (!gp_writer_close(&box->writer, !has_failed(box)))
    return gp_push_writer_failure(L, 1);
  lua_pushboolean(L, true);
  return 1;
}

/* Sets the changes that a list describes. Returns whether all files are complete. */
static bool take_changes(lua_State *L, gp_file_change *changes, size_t count) {
  bool complete = true;
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    writer_box *box = luaL_testudata(L, -1, GP_WRITER);
    bool valid = box ? box->open : lua_type(L, -1) == LUA_TSTRING;
    for (size_t j = 0; valid && box && j < i; j++)
      valid = changes[j].writer != &box->writer;
    luaL_argcheck(L, valid, 1, "different open writers, and paths expected");
    changes[i] = (gp_file_change){.writer = box ? &box->writer : NULL,
                                  .removed = box ? NULL : lua_tostring(L, -1)};
    if (box) complete = complete && !has_failed(box);
    lua_pop(L, 1);  /* the list keeps it alive */
  }
  return complete;
}

/* Marks the writers of a list as closed. */
static void mark_closed(lua_State *L, size_t count) {
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    writer_box *box = luaL_testudata(L, -1, GP_WRITER);
    if (box) box->open = false;
    lua_pop(L, 1);
  }
}

/* Returns nil and the message of the first writer in the list that has failed. */
static int push_first_failure(lua_State *L, size_t count) {
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    const writer_box *box = luaL_testudata(L, -1, GP_WRITER);
    if (box && has_failed(box)) return gp_push_writer_failure(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  return luaL_error(L, "no writer has failed");
}

/* finish(list) -> true: all files are complete and in place; or nil and a message, and no
 * file has changed. The list has writers, and paths of files that are removed, in the
 * order in which this is done: see gp_writers_close. */
static int finish_all(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  size_t count = lua_rawlen(L, 1);
  gp_file_change *changes = lua_newuserdatauv(L, (count + 1) * sizeof *changes, 0);
  bool complete = take_changes(L, changes, count);
  mark_closed(L, count);
  if (!gp_writers_close(changes, count, complete)) return push_first_failure(L, count);
  lua_pushboolean(L, true);
  return 1;
}

/* Closing a writer without finish() discards the new file. */
static int discard(lua_State *L) {
  writer_box *box = luaL_checkudata(L, 1, GP_WRITER);
  if (box->open) gp_writer_close(&box->writer, false);
  box->open = false;
  return 0;
}

void gp_define_writer(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", discard}, {"__close", discard}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"write", write_text}, {"finish", finish}, {"count", count_written}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"writer", new_writer}, {"counter", new_counter},
      {"companion_writer", new_companion_writer}, {"finish", finish_all}, {NULL, NULL}};
  gp_define_object(L, GP_WRITER, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
