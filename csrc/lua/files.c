/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files for Lua, where its own library falls short: files that are written as a whole or
 * not at all, what kind of file a path leads to, what is in a directory, and whether a
 * file is a terminal, how wide that is, and names that fit there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8_width.h"
#include "base/writer.h"
#include "lua/arguments.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_WRITER "gprof.writer"
#define GP_DIRECTORY "gprof.directory"

typedef struct writer_box {
  gp_writer writer;
  gp_error error;
  bool open;
} writer_box;

static writer_box *check_writer(lua_State *L) {
  writer_box *box = luaL_checkudata(L, 1, GP_WRITER);
  luaL_argcheck(L, box->open, 1, "file is closed");
  return box;
}

/* writer(path, chosen) -> a file to be written; or nil and a message. A link is followed
 * if somebody has chosen the name, and replaced otherwise. */
static int new_writer(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  writer_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, GP_WRITER);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  bool (*open)(gp_writer *writer, const char *path, gp_error *error) =
      lua_toboolean(L, 2) ? gp_writer_open : gp_writer_open_here;
  if (!open(&box->writer, path, &box->error))
    return gp_push_failure(L, path, &box->error);
  box->open = true;
  return 1;
}

/* nil and what went wrong with the file */
static int fail(lua_State *L, const writer_box *box) {
  lua_getiuservalue(L, 1, 1);
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
    if (!room) return fail(L, box);
    memcpy(room, text, piece);
    text += piece;
    length -= piece;
  }
  lua_settop(L, 1);
  return 1;
}

/* writer:finish() -> true: now the file is there; or nil and a message */
static int finish(lua_State *L) {
  writer_box *box = check_writer(L);
  box->open = false;
  if (!gp_writer_close(&box->writer, box->error.text[0] == '\0')) return fail(L, box);
  lua_pushboolean(L, true);
  return 1;
}

/* Without finish() there never was a new file. */
static int discard(lua_State *L) {
  writer_box *box = luaL_checkudata(L, 1, GP_WRITER);
  if (box->open) gp_writer_close(&box->writer, false);
  box->open = false;
  return 0;
}

/* nil and what the system says of a path */
static int fail_path(lua_State *L, const char *path) {
  gp_error error;
  gp_fail(&error, "%s", strerror(errno));
  return gp_push_failure(L, path, &error);
}

/* file_status(path) -> "file", "directory" or "other"; when it was changed, in seconds of
 * the system's clock; and a string that no other file has; or nil and a message */
static int file_status(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct stat status;
  if (stat(path, &status) < 0) return fail_path(L, path);
  lua_pushstring(L, S_ISREG(status.st_mode)   ? "file"
                    : S_ISDIR(status.st_mode) ? "directory"
                                              : "other");
  lua_pushinteger(L, (lua_Integer)status.st_mtime);
  lua_pushfstring(L, "%I:%I", (LUAI_UACINT)status.st_dev, (LUAI_UACINT)status.st_ino);
  return 3;
}

/* real_path(path) -> the same from the root, without links; or nil and a message */
static int real_path(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  void **guard = gp_push_guard(L);
  *guard = realpath(path, NULL);
  if (!*guard) return fail_path(L, path);
  gp_take_text(L, guard);
  return 1;
}

/* A directory that is being read is closed, whatever Lua raises. */
static int close_directory(lua_State *L) {
  DIR **box = luaL_checkudata(L, 1, GP_DIRECTORY);
  if (*box) closedir(*box);
  *box = NULL;
  return 0;
}

static DIR **push_directory(lua_State *L, const char *path) {
  DIR **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  luaL_setmetatable(L, GP_DIRECTORY);
  *box = opendir(path);
  return box;
}

/* "file", "directory" or "other". Links are followed to files only: those to
 * directories may lead in circles. File systems that do not tell what an entry is
 * are asked about it. */
static const char *kind_of_entry(DIR *directory, const struct dirent *entry) {
  struct stat status;
  if (entry->d_type == DT_REG) return "file";
  if (entry->d_type == DT_DIR) return "directory";
  if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK) return "other";
  int file = dirfd(directory);
  if (fstatat(file, entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode))
    return "file";
  bool is_directory = fstatat(file, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                      S_ISDIR(status.st_mode);
  return is_directory ? "directory" : "other";
}

/* list_directory(path) -> the kinds of its entries by name, hidden ones left out;
 * or nil and a message */
static int list_directory(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  const struct dirent *entry;
  DIR **box = push_directory(L, path);
  if (!*box) return fail_path(L, path);
  lua_newtable(L);
  for (errno = 0; (entry = readdir(*box)) != NULL; errno = 0) {
    if (entry->d_name[0] == '.') continue;
    lua_pushstring(L, kind_of_entry(*box, entry));
    lua_setfield(L, -2, entry->d_name);
  }
  if (errno != 0) return fail_path(L, path);
  closedir(*box);
  *box = NULL;
  return 1;
}

/* is_terminal(file) -> whether a file of Lua's own library is a terminal */
static int is_terminal(lua_State *L) {
  const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  lua_pushboolean(L, file->closef && isatty(fileno(file->f)));
  return 1;
}

/* The number in a variable of the environment; 0 if there is none. */
static lua_Integer number_of_environment(const char *name) {
  const char *value = getenv(name);
  char *end;
  errno = 0;
  long number = value ? strtol(value, &end, 10) : 0;
  return value && *end == '\0' && errno == 0 && number > 0 ? number : 0;
}

/* terminal_width(file) -> columns of a terminal: those that COLUMNS says, or else the
 * terminal itself; nil if neither tells, or the file is no terminal */
static int terminal_width(lua_State *L) {
  const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  struct winsize size = {0};
  lua_Integer width = 0;
  if (file->closef && isatty(fileno(file->f))) {
    width = number_of_environment("COLUMNS");
    if (width == 0 && ioctl(fileno(file->f), TIOCGWINSZ, &size) == 0)
      width = size.ws_col;
  }
  if (width > 0)
    lua_pushinteger(L, width);
  else
    luaL_pushfail(L);
  return 1;
}

/* fit(text, columns, mark) -> the text, shortened in the middle, where the mark comes to
 * stand, if it is longer */
static int fit_text(lua_State *L) {
  size_t length, mark_length;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer room = luaL_checkinteger(L, 2);
  const char *mark = luaL_checklstring(L, 3, &mark_length);
  gp_cut cut;
  lua_settop(L, 3);
  if (room < 0 || !gp_utf8_cut(text, length, (size_t)room,
                               gp_utf8_width(mark, mark_length), &cut)) {
    lua_pushvalue(L, 1);
    return 1;
  }
  lua_pushlstring(L, text, cut.head);
  lua_pushvalue(L, 3);
  lua_pushlstring(L, text + cut.tail, length - cut.tail);
  lua_concat(L, 3);
  return 1;
}

void gp_define_files(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", discard}, {"__close", discard}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"write", write_text}, {"finish", finish}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"writer", new_writer}, {"file_status", file_status},
      {"real_path", real_path},   {"list_directory", list_directory},
      {"is_terminal", is_terminal}, {"terminal_width", terminal_width},
      {"fit", fit_text},          {NULL, NULL}};
  static const luaL_Reg reading[] = {
      {"__gc", close_directory}, {"__close", close_directory}, {NULL, NULL}};
  gp_define_object(L, GP_WRITER, gp_get_field, meta, methods);
  lua_pop(L, 1);
  luaL_newmetatable(L, GP_DIRECTORY);
  luaL_setfuncs(L, reading, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
