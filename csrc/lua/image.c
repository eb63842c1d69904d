/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object file for Lua. */
#include <dlfcn.h>
#include <string.h>

#include "lua/arguments.h"
#include "lua/image.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "object/build_id.h"
#include "object/debug_str.h"

/* The registry has a weak table by this name: from boxes to the objects of images. */
#define IMAGES "gprof.images"

static gp_image_box *check_box(lua_State *L, int index) {
  return luaL_checkudata(L, index, GP_IMAGE);
}

gp_image *gp_check_image(lua_State *L, int index) {
  gp_image_box *box = check_box(L, index);
  luaL_argcheck(L, box->image, index, "image is closed");
  return box->image;
}

/* Notes the object of an image, which is on the top. */
static void note_image(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, IMAGES);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, lua_touserdata(L, -3));
  lua_pop(L, 1);
}

void gp_push_image(lua_State *L, const gp_image_box *box) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, IMAGES);
  lua_rawgetp(L, -1, box);
  lua_remove(L, -2);
}

static int new_image(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  gp_error error = {""};
  gp_image_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  *box = (gp_image_box){0};
  luaL_setmetatable(L, GP_IMAGE);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  if (strcmp(path, "-") == 0)
    gp_fail(&error, "an image is read here and there, and has to be a file");
  else
    box->image = gp_image_open(path, &error);
  note_image(L);
  return box->image ? 1 : gp_push_failure(L, path, &error);
}

static int close_image(lua_State *L) {
  gp_image_box *box = check_box(L, 1);
  gp_image_close(box->image);
  for (int i = 0; i < 2; i++)
    if (box->mapped[i]) gp_line_map_free(&box->map[i]);
  *box = (gp_image_box){0};
  return 0;
}

static int describe(lua_State *L) {
  const gp_image_box *box = check_box(L, 1);
  lua_getiuservalue(L, 1, 1);
  lua_pushfstring(L, "image: %s%s", lua_tostring(L, -1), box->image ? "" : " (closed)");
  return 1;
}

/* changed_file(image) -> the path of the image, or of a file that it has debugging
 * information in, if somebody has written to that since it was opened; or nil */
static int find_change(lua_State *L) {
  const gp_image *image = gp_check_image(L, 1);
  const gp_image *const files[] = {
      image, image->debug, gp_image_for_lines(image, false)->supplementary};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (!files[i] || !gp_image_has_changed(files[i])) continue;
    lua_pushstring(L, bfd_get_filename(files[i]->file));
    return 1;
  }
  lua_pushnil(L);
  return 1;
}

/* image_mentions(image, name) -> whether debugging information has that name, as far as
 * it was found: that in other files is not looked for */
static int find_mention(lua_State *L) {
  const gp_image *image = gp_image_for_lines(gp_check_image(L, 1), false);
  const char *name = luaL_checkstring(L, 2);
  const gp_image *supplementary = image->supplementary;
  lua_pushboolean(L, gp_debug_str_has(image, name) ||
                         (supplementary && gp_debug_str_has(supplementary, name)));
  return 1;
}

/* demangling_style(name) -> whether there is such a style */
static int set_style(lua_State *L) {
  lua_pushboolean(L, gp_image_demangling_style(luaL_checkstring(L, 1)));
  return 1;
}

/* library() -> the file that libbfd was loaded from, or nothing if that is not to be
 * known: the library itself does not tell its version */
static int find_library(lua_State *L) {
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)bfd_openr, &info) || !info.dli_fname) return 0;
  lua_pushstring(L, info.dli_fname);
  return 1;
}

static const gp_image *opened(lua_State *L, const void *object) {
  const gp_image_box *box = object;
  if (!box->image) luaL_error(L, "image is closed");
  return box->image;
}

static void push_path(lua_State *L, const void *object) {
  (void)object;
  lua_getiuservalue(L, 1, 1);
}

static void push_text_low(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)opened(L, object)->text_low);
}

static void push_text_high(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)opened(L, object)->text_high);
}

static void push_pointer_size(lua_State *L, const void *object) {
  lua_pushinteger(L, opened(L, object)->layout.pointer_size);
}

static void push_big_endian(lua_State *L, const void *object) {
  lua_pushboolean(L, opened(L, object)->layout.big_endian);
}

static void push_build_id(lua_State *L, const void *object) {
  static const char digits[] = "0123456789abcdef";
  unsigned char bytes[GP_BUILD_ID_BYTES];
  char text[2 * GP_BUILD_ID_BYTES];
  size_t size = gp_build_id(opened(L, object), bytes);
  for (size_t i = 0; i < size; i++) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  if (size > 0)
    lua_pushlstring(L, text, 2 * size);
  else
    lua_pushnil(L);
}

static void push_path_of(lua_State *L, const gp_image *image) {
  if (image)
    lua_pushstring(L, bfd_get_filename(image->file));
  else
    lua_pushnil(L);
}

static void push_debug_file(lua_State *L, const void *object) {
  push_path_of(L, opened(L, object)->debug);
}

static void push_shared_file(lua_State *L, const void *object) {
  const gp_image *image = opened(L, object);
  push_path_of(L, gp_image_for_lines(image, false)->supplementary);
}

static void push_symbols_from(lua_State *L, const void *object) {
  const gp_image *image = opened(L, object);
  const gp_image *from = gp_image_for_symbols(image, false);
  if (from->symbol_count == 0)
    lua_pushnil(L);
  else if (from == image)
    lua_pushliteral(L, "image");
  else
    lua_pushstring(L, from == image->debug ? "debug file" : "packed");
}

void gp_define_image(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_image}, {"__close", close_image}, {"__tostring", describe},
      {NULL, NULL}};
  static const luaL_Reg methods[] = {{"close", close_image}, {NULL, NULL}};
  static const gp_object_field fields[] = {
      {"path", push_path},
      {"text_low", push_text_low},          /* first address of .text */
      {"text_high", push_text_high},        /* the address behind .text */
      {"pointer_size", push_pointer_size},  /* bytes */
      {"big_endian", push_big_endian},
      {"build_id", push_build_id},          /* in base 16, or nil */
      {"debug_file", push_debug_file},      /* path, or nil */
      {"shared_debug_file", push_shared_file},
      {"symbols_from", push_symbols_from},  /* "image", "debug file", "packed", or nil */
      {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"image", new_image}, {"demangling_style", set_style},
      {"library", find_library}, {"changed_file", find_change},
      {"image_mentions", find_mention}, {NULL, NULL}};
  gp_push_weak_table(L);
  lua_setfield(L, LUA_REGISTRYINDEX, IMAGES);
  gp_define_object(L, GP_IMAGE, gp_get_field, meta, methods);
  gp_define_fields(L, fields);
  lua_setfield(L, -2, "image_methods");  /* the Lua layer adds to them */
  luaL_setfuncs(L, functions, 0);
}
