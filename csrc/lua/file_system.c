/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File system functions for Lua: file types, symbolic links, directories. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/reader.h"
#include "debug/source_paths.h"
#include "lua/arguments.h"
#include "lua/memory.h"
#include "lua/module.h"

#define GP_DIRECTORY "gprof.directory"

/* Returns nil and the message "PATH: ERROR" for errno. */
static int fail_path(lua_State *L, const char *path) {
  gp_error error;
  gp_fail(&error, "%s", strerror(errno));
  return gp_push_failure(L, path, &error);
}

/* file_status(path) -> "file", "directory", "device" (of characters) or "other";
 * modification time in seconds since the epoch; a string that identifies the file (device
 * and inode); its size in bytes; or nil and a message */
static int file_status(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct stat status;
  if (stat(path, &status) < 0) return fail_path(L, path);
  lua_pushstring(L, S_ISREG(status.st_mode)   ? "file"
                    : S_ISDIR(status.st_mode) ? "directory"
                    : S_ISCHR(status.st_mode) ? "device"
                                              : "other");
  lua_pushinteger(L, (lua_Integer)status.st_mtime);
  lua_pushfstring(L, "%I:%I", (LUAI_UACINT)status.st_dev, (LUAI_UACINT)status.st_ino);
  lua_pushinteger(L, (lua_Integer)status.st_size);
  return 4;
}

/* file_begins(path, text) -> whether the path names a regular file, not a link, that
 * begins with the text, of at most 16 bytes */
static int file_begins(lua_State *L) {
  lua_pushboolean(L, gp_file_begins(luaL_checkstring(L, 1), luaL_checkstring(L, 2)));
  return 1;
}

/* real_path(path) -> absolute path without symbolic links; or nil and a message */
static int real_path(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  void **guard = gp_push_guard(L);
  *guard = realpath(path, NULL);
  if (!*guard) return fail_path(L, path);
  gp_take_text(L, guard);
  return 1;
}

/* short_path(path) -> the path of a source file without detours: "build/../src" becomes
 * "src" (debug/source_paths.h) */
static int short_path(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  void **guard = gp_push_guard(L);
  *guard = strdup(path);
  if (*guard) gp_source_path_shorten(*guard);
  gp_take_text(L, guard);
  return 1;
}

/* Closes a directory, even if Lua raised an error while reading it. */
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

/* Returns "file", "directory" or "other". Follows symbolic links to files only, because
 * links to directories may form loops. Calls stat where the file system does not report
 * types. */
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

/* list_directory(path) -> table from names to types, without hidden entries; or nil and a
 * message */
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

void gp_define_paths(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_directory}, {"__close", close_directory}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"file_status", file_status}, {"real_path", real_path},
      {"short_path", short_path},
      {"list_directory", list_directory}, {"file_begins", file_begins}, {NULL, NULL}};
  luaL_newmetatable(L, GP_DIRECTORY);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
