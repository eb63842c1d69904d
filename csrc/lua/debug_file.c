/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debugging information in separate files, for Lua. A callback from the Lua layer, the
 * finder, searches for these files and attaches them with the functions below. */
#include <lauxlib.h>
#include <string.h>

#include "debug/debug_file.h"
#include "debug/mini_debug.h"
#include "lua/arguments.h"
#include "lua/debug_file.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "object/debuglink.h"

/* Registry key of the function that finds debugging files, the finder. */
#define FINDER "gprof.debug_file_finder"

/* set_debug_file_finder(function): sets the function that finds debugging files. It is
 * called with an image and a string: "lines" if debugging information is needed and may
 * be in other files; "gaps" if names of inlined functions could not be read. In the
 * second case, the numbers of damaged units and of missing split files follow, the name
 * of the first such file or nil, and the path of a package that was rejected or nil. */
static int set_finder(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, FINDER);
  return 0;
}

/* Pushes the finder, the image on the top of the stack, and `what`. If no finder is set,
 * pushes nothing and returns false. */
static bool push_finder(lua_State *L, const char *what) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, FINDER) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushvalue(L, -2);
  lua_pushstring(L, what);
  return true;
}

void gp_find_debug_files(lua_State *L, const gp_image_box *of, bool by_libbfd) {
  luaL_checkstack(L, 8, NULL);
  gp_push_image(L, of);
  gp_image_box *box = lua_touserdata(L, -1);
  if (box && box->image) {
    if (by_libbfd && !box->links_checked) {
      gp_debuglink_check(box->image->file);
      box->links_checked = true;
    } else if (!by_libbfd && !box->lines_searched &&  /* and if there may be such files */
               (gp_debug_file_is_likely(box->image) ||
                gp_debuglink_has_supplementary(box->image->file))) {
      box->lines_searched = true;
      if (push_finder(L, "lines")) lua_call(L, 2, 0);
    }
  }
  lua_pop(L, 1);
  gp_open_image(L, of);
}

void gp_report_gaps(lua_State *L, const gp_image_box *of, const gp_inline_gaps *gaps) {
  if (gaps->damaged + gaps->missing == 0 && !gaps->rejected) return;
  luaL_checkstack(L, 8, NULL);
  gp_push_image(L, of);
  gp_image_box *box = lua_touserdata(L, -1);
  if (box && !box->gaps_reported) {
    box->gaps_reported = true;
    if (push_finder(L, "gaps")) {
      lua_pushinteger(L, (lua_Integer)gaps->damaged);
      lua_pushinteger(L, (lua_Integer)gaps->missing);
      lua_pushstring(L, gaps->first_missing);
      lua_pushstring(L, gaps->rejected);
      lua_call(L, 6, 0);
    }
  }
  lua_pop(L, 1);
  gp_open_image(L, of);
}

/* --- for the finder -------------------------------------------------------------- */

/* Pushes true, or nil and a message. Raises an error if memory ran out, because trying
 * another file would not help. */
static int push_result(lua_State *L, bool done, const char *path,
                       const gp_error *error) {
  if (!done && strcmp(error->text, "not enough memory") == 0) gp_raise_no_memory(L);
  if (!done) return gp_push_failure(L, path, error);
  lua_pushboolean(L, true);
  return 1;
}

/* Returns the object file that holds the debugging information of argument 1. */
static gp_image *check_lines(lua_State *L) {
  return gp_image_for_lines(gp_check_image(L, 1), false);
}

static int lacks_symbols(lua_State *L) {
  lua_pushboolean(L, gp_check_image(L, 1)->stripped);
  return 1;
}

/* has_symbol_table(image) -> whether the file or its debugging file has one, even if
 * other symbols are used */
static int has_symbol_table(lua_State *L) {
  const gp_image *image = gp_image_for_symbols(gp_check_image(L, 1), false);
  /* an empty array of symbols ends with NULL; HAS_SYMS includes dynamic symbols */
  lua_pushboolean(L, bfd_get_symtab_upper_bound(image->file) > (long)sizeof(asymbol *));
  return 1;
}

/* gaps_reported(image) -> whether it was reported that debugging information is missing
 * or damaged */
static int are_gaps_reported(lua_State *L) {
  gp_check_image(L, 1);
  const gp_image_box *box = lua_touserdata(L, 1);
  lua_pushboolean(L, box->gaps_reported);
  return 1;
}

/* likely_separate(image) -> whether its debugging information may be in another file */
static int is_likely(lua_State *L) {
  lua_pushboolean(L, gp_debug_file_is_likely(gp_check_image(L, 1)));
  return 1;
}

/* Pushes a string, or nil for NULL. Takes ownership of `name`. */
static int push_name(lua_State *L, void **guard, char *name) {
  *guard = name;
  if (name)
    gp_take_text(L, guard);
  else
    lua_pushnil(L);
  return 1;
}

/* debug_link(image) -> the name in .gnu_debuglink, or nil */
static int debug_link(lua_State *L) {
  uint32_t checksum;
  gp_check_image(L, 1);
  void **guard = gp_push_guard(L);
  gp_image *image = gp_check_image(L, 1);  /* the guard can run a finalizer */
  return push_name(L, guard, gp_debuglink_debug(image->file, &checksum));
}

/* shared_link(image) -> the name of the supplementary file, or nil; and the path of the
 * file that was read: the image or its debugging file */
static int shared_link(lua_State *L) {
  check_lines(L);
  void **guard = gp_push_guard(L);
  push_name(L, guard, gp_debuglink_supplementary(check_lines(L)->file));
  lua_pushstring(L, bfd_get_filename(check_lines(L)->file));
  return 2;
}

/* forget_links(image): keeps libbfd from searching for other files */
static int forget_links(lua_State *L) {
  gp_image *image = gp_check_image(L, 1);
  gp_debuglink_forget(image->file);
  if (image->debug) gp_debuglink_forget(image->debug->file);
  return 0;
}

/* attach_debug(image, path, "symbols" or "lines") -> true, or nil and a message */
static int attach_debug(lua_State *L) {
  static const char *const names[] = {"symbols", "lines", NULL};
  gp_image *image = gp_check_image(L, 1);
  const char *path = luaL_checkstring(L, 2);
  gp_wanted wanted = luaL_checkoption(L, 3, NULL, names) ? GP_WANT_LINES
                                                         : GP_WANT_SYMBOLS;
  gp_error error = {""};
  lua_getiuservalue(L, 1, GP_IMAGE_PATH);
  bool done = gp_debug_file_attach(image, path, lua_tostring(L, -1), wanted, &error);
  return push_result(L, done, path, &error);
}

/* share_debug(image, path) -> true, or nil and a message: attaches the supplementary file
 * at an absolute path */
static int share_debug(lua_State *L) {
  const char *path = luaL_checkstring(L, 2);
  gp_error error = {""};
  luaL_argcheck(L, path[0] == '/', 2, "absolute path expected");
  bool done = gp_debug_file_attach_supplementary(check_lines(L), path, &error);
  return push_result(L, done, path, &error);
}

/* is_packed(image) -> whether the image has compressed symbols (.gnu_debugdata) */
static int is_packed(lua_State *L) {
  lua_pushboolean(L, gp_mini_debug_present(gp_check_image(L, 1)));
  return 1;
}

/* unpack_symbols(image, unpack) -> true, or nil and a message; `unpack` is the value that
 * the module gprof.xz returns */
static int unpack_symbols(lua_State *L) {
  gp_image *image = gp_check_image(L, 1);
  gp_unpack *const *unpack = lua_touserdata(L, 2);
  gp_error error = {""};
  luaL_checktype(L, 2, LUA_TUSERDATA);
  bool done = gp_mini_debug_attach(image, *unpack, &error);
  return push_result(L, done, ".gnu_debugdata", &error);
}

void gp_define_debug_file(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"set_debug_file_finder", set_finder}, {"lacks_symbols", lacks_symbols},
      {"has_symbol_table", has_symbol_table}, {"gaps_reported", are_gaps_reported},
      {"likely_separate", is_likely},
      {"debug_link", debug_link}, {"shared_link", shared_link},
      {"forget_links", forget_links},
      {"attach_debug", attach_debug}, {"share_debug", share_debug},
      {"is_packed", is_packed}, {"unpack_symbols", unpack_symbols}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
