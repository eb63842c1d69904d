/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images (object files) for Lua. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "gmon/contexts/context_file.h"
#include "gmon/contexts/script_file.h"
#include "lua/arguments.h"
#include "lua/image.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/pattern.h"
#include "object/build_id.h"
#include "object/debug_str.h"
#include "object/imports.h"

/* Registry key of a weak table from the address of a gp_image_box to its Lua object. */
#define IMAGES "gprof.images"

static gp_image_box *check_box(lua_State *L, int index) {
  return luaL_checkudata(L, index, GP_IMAGE);
}

gp_image *gp_check_image(lua_State *L, int index) {
  gp_image_box *box = check_box(L, index);
  luaL_argcheck(L, box->image, index, "image is closed");
  return box->image;
}

gp_image *gp_open_image(lua_State *L, const gp_image_box *of) {
  if (!of->image) luaL_error(L, "image is closed");
  return of->image;
}

void gp_push_image(lua_State *L, const gp_image_box *box) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, IMAGES);
  lua_rawgetp(L, -1, box);
  lua_remove(L, -2);
}

/* Registry key of the function that set_large_name_handler sets. */
#define LARGE_NAMES "gprof.large_names"

/* set_large_name_handler(function): sets the function that reports names too large to be
 * demangled. It is called with the image, at most once for each image. */
static int set_large_name_handler(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, LARGE_NAMES);
  return 0;
}

void gp_report_large_names(lua_State *L, const gp_image_box *of) {
  if (!of->image->demangler->refused || of->names_reported) return;
  luaL_checkstack(L, 8, NULL);
  gp_push_image(L, of);
  gp_image_box *box = lua_touserdata(L, -1);
  if (box) box->names_reported = true;
  if (box && lua_getfield(L, LUA_REGISTRYINDEX, LARGE_NAMES) == LUA_TFUNCTION) {
    lua_pushvalue(L, -2);
    lua_call(L, 1, 0);
  } else if (box) {
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  gp_open_image(L, of);
}

/* Pushes the object of an image that will be opened; argument 1 is its path. */
static gp_image_box *push_box(lua_State *L) {
  gp_image_box *box = lua_newuserdatauv(L, sizeof *box, GP_IMAGE_VALUES);
  *box = (gp_image_box){0};
  luaL_setmetatable(L, GP_IMAGE);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, GP_IMAGE_PATH);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, IMAGES);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, box);
  lua_pop(L, 1);
  return box;
}

/* image(path) -> image; or nil and a message */
static int new_image(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  gp_error error = {""};
  gp_image_box *box = push_box(L);
  if (strcmp(path, "-") == 0)
    gp_fail(&error, "the image must be a file: it is read at random offsets");
  else if (gp_is_context_profile(path))
    gp_fail(&error, "is a profile");
  else
    box->image = gp_image_open(path, &error);
  return box->image ? 1 : gp_push_failure(L, path, &error);
}

/* script_functions(path) -> the list of functions in the profile of a Lua program (see
 * doc/contexts.md), unchecked; or nil and, if the file cannot be read, a message */
static int read_script_functions(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  unsigned char *bytes;
  size_t size;
  gp_error error = {""};
  void **guard = gp_push_guard(L);
  if (!gp_script_functions_read(path, &bytes, &size, &error))
    return gp_push_failure(L, path, &error);
  *guard = bytes;
  if (!bytes)
    lua_pushnil(L);
  else
    lua_pushlstring(L, (const char *)bytes, size);
  return 1;
}

/* script_image(path, file, functions) -> the image of a Lua program, whose profile is at
 * `path`; `file`: the bytes of the object file that stands for the program; `functions`:
 * the valid list of functions that it was made of */
static int new_script_image(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  size_t size;
  const char *file = luaL_checklstring(L, 2, &size);
  luaL_checkstring(L, 3);
  gp_error error = {""};
  gp_image_box *box = push_box(L);
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, GP_IMAGE_FUNCTIONS);
  unsigned char *bytes = malloc(size > 0 ? size : 1);
  if (!bytes) return gp_raise_no_memory(L);
  memcpy(bytes, file, size);
  box->image = gp_image_open_bytes(bytes, size, &error);
  return box->image ? 1 : gp_push_failure(L, path, &error);
}

gp_script_functions gp_push_functions(lua_State *L, int index) {
  gp_script_functions functions = {NULL, 0};
  lua_getiuservalue(L, index, GP_IMAGE_FUNCTIONS);
  functions.bytes = (const unsigned char *)lua_tolstring(L, -1, &functions.size);
  return functions;
}

/* script_list(image) -> the list of functions that the image was made of; nil if it is
 * not of a Lua program */
static int get_script_list(lua_State *L) {
  gp_check_image(L, 1);
  gp_push_functions(L, 1);
  return 1;
}

static int close_image(lua_State *L) {
  gp_image_box *box = check_box(L, 1);
  gp_image_close(box->image);
  for (int i = 0; i < 2; i++)
    if (box->mapped[i]) gp_line_map_free(&box->map[i]);
  if (box->inlined) gp_inline_map_free(&box->inlines);
  *box = (gp_image_box){0};
  return 0;
}

static int describe(lua_State *L) {
  const gp_image_box *box = check_box(L, 1);
  lua_getiuservalue(L, 1, GP_IMAGE_PATH);
  lua_pushfstring(L, "image: %s%s", lua_tostring(L, -1), box->image ? "" : " (closed)");
  return 1;
}

/* changed_file(image) -> the path of the image or one of its debugging files, if that
 * file was modified after it was opened; else nil */
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

/* image_mentions(image, name) -> whether the debugging information contains the name.
 * Looks only into files that are already open. */
static int find_mention(lua_State *L) {
  const gp_image *image = gp_image_for_lines(gp_check_image(L, 1), false);
  const char *name = luaL_checkstring(L, 2);
  const gp_image *supplementary = image->supplementary;
  lua_pushboolean(L, gp_debug_str_has(image, name) ||
                         (supplementary && gp_debug_str_has(supplementary, name)));
  return 1;
}

static bool is_any(const char *string, void *context) {
  (void)string;
  (void)context;
  return true;
}

/* image:has_debug_text(text) -> whether a string of the debugging information, such as
 * the name of a compiler, contains the text */
static int find_text(lua_State *L) {
  const gp_image *image = gp_image_for_lines(gp_check_image(L, 1), false);
  lua_pushboolean(L, gp_debug_str_search(image, luaL_checkstring(L, 2), is_any, NULL));
  return 1;
}

/* A search for a function by its mangled name. */
typedef struct mangled_search {
  const gp_image *image;
  const gp_name_pattern *pattern;
  unsigned budget;  /* names that are still compared with all symbols */
} mangled_search;

/* Whether a string is the mangled name of a function that the pattern matches. A symbol
 * is excluded: the function is in a shared library. */
static bool is_wanted_function(const char *string, void *context) {
  mangled_search *s = context;
  char *demangled, *scratch;
  if (s->budget == 0) return false;
  if (!gp_image_demangle(s->image, string, true, &demangled) || !demangled) return false;
  scratch = malloc(strlen(demangled) + 1);
  bool wanted = scratch && gp_name_pattern_matches(s->pattern, demangled, scratch);
  if (wanted) {
    s->budget--;
    wanted = !gp_image_mentions_any(s->image, &string, 1);
  }
  free(scratch);
  free(demangled);
  return wanted;
}

/* mentions_function(image, word, pattern) -> whether the debugging information contains
 * the mangled name of a function without a symbol. `word` is a part of mangled names;
 * `pattern` is compared with demangled names. */
static int find_function(lua_State *L) {
  mangled_search s = {gp_check_image(L, 1), gp_check_pattern(L, 3), 100};
  const char *word = luaL_checkstring(L, 2);
  const gp_image *image = gp_image_for_lines(s.image, false);
  lua_pushboolean(L, gp_debug_str_search(image, word, is_wanted_function, &s));
  return 1;
}

/* imports_mcount(image) -> whether the image, a shared library, was compiled with -pg.
 * The image's symbols must have been read before. */
static int find_mcount(lua_State *L) {
  lua_pushboolean(L, gp_imports_mcount(gp_check_image(L, 1)));
  return 1;
}

/* mentions_any(image, name ...) -> whether the image defines or imports a symbol with one
 * of these names */
static int find_symbol(lua_State *L) {
  enum { MOST = 16 };
  const char *names[MOST];
  const gp_image *image = gp_check_image(L, 1);
  int count = lua_gettop(L) - 1;
  luaL_argcheck(L, count <= MOST, MOST + 2, "too many names");
  for (int i = 0; i < count; i++) names[i] = luaL_checkstring(L, i + 2);
  lua_pushboolean(L, gp_image_mentions_any(image, names, (size_t)count));
  return 1;
}

/* image_size(image) -> size of the file in bytes */
static int get_size(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bfd_get_file_size(gp_check_image(L, 1)->file));
  return 1;
}

/* use_dynamic_symbols(image): a stripped image gets its dynamic symbols. */
static int use_dynamic(lua_State *L) {
  gp_image *image = gp_check_image(L, 1);
  if (image->stripped) image->dynamic = true;
  return 0;
}

/* is_shared_library(image) -> boolean */
static int check_library(lua_State *L) {
  lua_pushboolean(L, gp_is_shared_library(gp_check_image(L, 1)));
  return 1;
}

/* needed_libraries(image) -> list of the names of the shared libraries that it needs */
static int find_needed(lua_State *L) {
  gp_check_image(L, 1);
  size_t count;
  void **guard = gp_push_guard(L);
  const gp_image *image = gp_check_image(L, 1);  /* the guard can run a finalizer */
  const char *name = *guard = gp_needed_libraries(image, &count);
  lua_newtable(L);
  for (size_t i = 0; i < count; i++, name += strlen(name) + 1) {
    lua_pushstring(L, name);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* section_at(image, address) -> name of the section at an address, or nil */
static int find_section(lua_State *L) {
  const gp_image *image = gp_check_image(L, 1);
  uint64_t address = (uint64_t)luaL_checkinteger(L, 2);
  lua_pushnil(L);
  for (asection *s = image->file->sections; s; s = s->next) {
    uint64_t low = bfd_section_vma(s);
    if ((bfd_section_flags(s) & SEC_ALLOC) && address >= low &&
        address - low < bfd_section_size(s))
      lua_pushstring(L, bfd_section_name(s));
    if (lua_gettop(L) > 3) break;
  }
  return 1;
}

/* demangling_style(name) -> whether libiberty has this style; if so, selects it */
static int set_style(lua_State *L) {
  lua_pushboolean(L, gp_image_demangling_style(luaL_checkstring(L, 1)));
  return 1;
}

/* library() -> the path of libbfd's shared object; nothing if unknown. The file name
 * contains the version number, for which libbfd has no function. */
static int find_library(lua_State *L) {
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)bfd_openr, &info) || !info.dli_fname) return 0;
  lua_pushstring(L, info.dli_fname);
  return 1;
}

static const gp_image *opened(const gp_part *p) {
  return gp_open_image(p->L, p->owner);
}

GP_GETTER(path, gp_user_value(p, GP_IMAGE_PATH))
GP_GETTER(text_low, gp_integer_value(opened(p)->text_low))
GP_GETTER(code_low, gp_integer_value(opened(p)->code.low))
GP_GETTER(code_high, gp_integer_value(opened(p)->code.high))
GP_GETTER(text_high, gp_integer_value(opened(p)->text_high))
GP_GETTER(text_offset, gp_integer_value((uint64_t)opened(p)->text->filepos))
GP_GETTER(pointer_size, gp_integer_value(opened(p)->layout.pointer_size))
GP_GETTER(big_endian, gp_boolean_value(opened(p)->layout.big_endian))

static gp_field_value get_build_id(const gp_part *p) {
  static const char digits[] = "0123456789abcdef";
  unsigned char bytes[GP_BUILD_ID_BYTES];
  char text[2 * GP_BUILD_ID_BYTES];
  size_t size = gp_build_id(opened(p), bytes);
  for (size_t i = 0; i < size; i++) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  if (size == 0) return gp_no_value;
  lua_pushlstring(p->L, text, 2 * size);
  return gp_pushed_value;
}

static gp_field_value get_has_scripts(const gp_part *p) {
  opened(p);
  gp_push_functions(p->L, p->whole);
  bool has = !lua_isnil(p->L, -1);
  lua_pop(p->L, 1);
  return gp_boolean_value(has);
}

static gp_field_value path_of(const gp_image *image) {
  return image ? gp_text_value(bfd_get_filename(image->file)) : gp_no_value;
}

GP_GETTER(debug_file, path_of(opened(p)->debug))
GP_GETTER(shared_file, path_of(gp_image_for_lines(opened(p), false)->supplementary))

static gp_field_value get_symbols_from(const gp_part *p) {
  const gp_image *image = opened(p), *from = gp_image_for_symbols(image, false);
  if (from->symbol_count == 0) return gp_no_value;
  if (from == image) return gp_text_value("image");
  return gp_text_value(from == image->debug ? "debug file" : "packed");
}

void gp_define_image(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_image}, {"__close", close_image}, {"__tostring", describe},
      {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"close", close_image}, {"has_debug_text", find_text}, {NULL, NULL}};
  static const gp_field fields[] = {
      {"path", get_path},
      {"text_low", get_text_low},          /* first address of .text */
      {"text_high", get_text_high},        /* one past the end of .text */
      {"text_offset", get_text_offset},    /* position of .text in the file */
      {"code_low", get_code_low},          /* the same for all sections with code */
      {"code_high", get_code_high},
      {"pointer_size", get_pointer_size},  /* bytes */
      {"big_endian", get_big_endian},
      {"build_id", get_build_id},          /* in hexadecimal, or nil */
      {"debug_file", get_debug_file},      /* path, or nil */
      {"shared_debug_file", get_shared_file},  /* path of the dwz file, or nil */
      {"has_scripts", get_has_scripts},    /* made of the functions of Lua programs */
      {"symbols_from", get_symbols_from},  /* "image", "debug file", "packed", or nil */
      {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"image", new_image}, {"script_functions", read_script_functions},
      {"script_image", new_script_image},
      {"script_list", get_script_list}, {"section_at", find_section},
      {"demangling_style", set_style},
      {"library", find_library}, {"changed_file", find_change},
      {"set_large_name_handler", set_large_name_handler},
      {"image_mentions", find_mention},
      {"mentions_function", find_function},
      {"imports_mcount", find_mcount}, {"mentions_any", find_symbol},
      {"needed_libraries", find_needed}, {"image_size", get_size},
      {"use_dynamic_symbols", use_dynamic}, {"is_shared_library", check_library},
      {NULL, NULL}};
  gp_push_weak_table(L);
  lua_setfield(L, LUA_REGISTRYINDEX, IMAGES);
  gp_define_object(L, GP_IMAGE, gp_get_field, meta, methods, fields);
  lua_setfield(L, -2, "image_methods");  /* the Lua layer adds methods */
  luaL_setfuncs(L, functions, 0);
}
