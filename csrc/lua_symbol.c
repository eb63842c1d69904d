/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A symbol for Lua: what an image says of a function, without any profile.
 *
 * Functions of a profile have the same fields: they are rows of the table of symbols that
 * the profile was made with.
 */
#include <string.h>

#include "binding.h"
#include "sort.h"

/* The longest name that Lua keeps once whoever asks for it. */
enum { SHORT_NAME = 40 };

static const void *open_whole(lua_State *L, int whole) {
  return open_symbols(L, lua_touserdata(L, whole));
}

static void push_symbol(lua_State *L, const part *p);

static const part_kind symbol_parts = {"gprof.symbol.fields", open_whole, push_symbol, 0};

static void push_symbol(lua_State *L, const part *p) {
  push_part(L, p, SYMBOLS_OBJECTS, GP_SYMBOL);
}

int iterate_symbols(lua_State *L) {
  static const char *const names[] = {"address", NULL};
  const gp_symtab *symtab = &check_symbols(L, 1)->symtab;
  int order = order_option(L, 2, names);
  iteration *each = new_iteration(L, &symbol_parts, 1, 2);
  each->rows = gp_identity(symtab->count);
  for (uint32_t row = 0; each->rows && row < symtab->count; row++)
    if (gp_symtab_owner(symtab, row) == row) each->rows[each->count++] = row;
  return return_iteration(L, order >= 0);
}

/* Upvalue: a function that finds the symbols of argument 1, which then take its place: so an
 * error names the arguments of this function, and blames its caller. */
static int iterate_found(lua_State *L) {
  if (lua_gettop(L) == 0) lua_pushnil(L);
  luaL_checkstack(L, 2, NULL);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_replace(L, 1);
  return iterate_symbols(L);
}

/* symbols_method(find) -> image:symbols([order [, field...]]), where find(image) returns
 * symbols */
static int symbols_method(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, iterate_found, 1);
  return 1;
}

int look_symbol_up(lua_State *L) {
  symbols_box *box = check_symbols(L, 1);
  uint32_t row = gp_symtab_find(&box->symtab, (uint64_t)luaL_checkinteger(L, 2));
  if (row == GP_NONE) {
    lua_pushnil(L);
    return 1;
  }
  part p = {&symbol_parts, box, row, 1};
  push_symbol(L, &p);
  return 1;
}

int push_symbol_of_number(lua_State *L) {
  symbols_box *box = check_symbols(L, 1);
  lua_Integer id = luaL_checkinteger(L, 2);
  luaL_argcheck(L, id >= 1 && (lua_Unsigned)id <= box->symtab.count, 2,
                "no symbol of that number");
  part p = {&symbol_parts, box, gp_symtab_owner(&box->symtab, (uint32_t)(id - 1)), 1};
  push_symbol(L, &p);
  return 1;
}

/* --- fields ------------------------------------------------------------------ */

/* Pushes the symbols that a part is of. */
static symbols_box *push_symbols_of(lua_State *L, const part *p) {
  if (p->kind->symbols == 0)
    lua_pushvalue(L, p->whole);
  else
    lua_getiuservalue(L, p->whole, p->kind->symbols);
  return lua_touserdata(L, -1);
}

/* Whoever has the part has its symbols, too. */
static const symbols_box *symbols_of(lua_State *L, const part *p) {
  const symbols_box *box = push_symbols_of(L, p);
  lua_pop(L, 1);
  return box;
}

static const gp_symtab *symtab_of(lua_State *L, const void *object) {
  return &symbols_of(L, object)->symtab;
}

static uint32_t id_of(const void *object) { return ((const part *)object)->id; }

static const char *plain_name(const symbols_box *box, uint32_t id) {
  return gp_image_plain_name(box->image->image, box->symtab.name[id]);
}

/* Pushes the name as it is to be shown. */
static void push_shown(lua_State *L, const symbols_box *box, uint32_t id) {
  char *name = NULL;
  if (box->demangled) name = gp_image_demangle(box->image->image, box->symtab.name[id]);
  if (name)
    push_and_free(L, name);
  else
    lua_pushstring(L, plain_name(box, id));
}

/* A name that was demangled, or that Lua would make anew each time, is kept. */
void push_symbol_name(lua_State *L, const part *p) {
  const symbols_box *box = push_symbols_of(L, p);
  lua_getiuservalue(L, -1, SYMBOLS_NAMES);
  if (lua_rawgeti(L, -1, p->id) == LUA_TNIL) {
    lua_pop(L, 1);
    push_shown(L, box, p->id);
    const char *shown = lua_tostring(L, -1);
    if (lua_rawlen(L, -1) > SHORT_NAME || strcmp(shown, plain_name(box, p->id)) != 0) {
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, p->id);
    }
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

static void push_name(lua_State *L, const void *object) { push_symbol_name(L, object); }

static void push_plain_name(lua_State *L, const void *object) {
  lua_pushstring(L, plain_name(symbols_of(L, object), id_of(object)));
}

static void push_address(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)symtab_of(L, object)->address[id_of(object)]);
}

static void push_size(lua_State *L, const void *object) {
  const gp_symtab *symtab = symtab_of(L, object);
  uint32_t id = id_of(object);
  uint64_t first = symtab->address[id], last = gp_symtab_end(symtab, id);
  lua_pushinteger(L, last < first ? 0 : (lua_Integer)(last - first + 1));
}

static void push_static(lua_State *L, const void *object) {
  lua_pushboolean(L, symtab_of(L, object)->flags[id_of(object)] & GP_STATIC);
}

static void push_is_function(lua_State *L, const void *object) {
  lua_pushboolean(L, symtab_of(L, object)->flags[id_of(object)] & GP_FUNCTION);
}

static void push_mapped(lua_State *L, const void *object) {
  lua_pushboolean(L, symtab_of(L, object)->flags[id_of(object)] & GP_MAPPED);
}

/* The sources of all symbols are looked up at once, when one is wanted first. */
static const gp_sources *sources_of(lua_State *L, const void *object) {
  push_symbols_of(L, object);
  const gp_sources *sources = check_sources(L, lua_gettop(L));
  lua_pop(L, 1);
  return sources;
}

static void push_file(lua_State *L, const void *object) {
  const gp_sources *sources = sources_of(L, object);
  uint32_t file = sources->file[id_of(object)];
  lua_pushstring(L, file == GP_NONE ? NULL : sources->files.name[file]);
}

static void push_line(lua_State *L, const void *object) {
  const gp_sources *sources = sources_of(L, object);
  uint32_t id = id_of(object);
  if (sources->file[id] == GP_NONE)
    lua_pushnil(L);
  else
    lua_pushinteger(L, sources->line[id]);
}

static void push_id(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)id_of(object) + 1);
}

static void push_image(lua_State *L, const void *object) {
  push_symbols_of(L, object);
  lua_getiuservalue(L, -1, SYMBOLS_IMAGE);
  lua_remove(L, -2);
}

const object_field symbol_fields[] = {
    {"id", push_id},              /* its number in the table */
    {"name", push_name},          /* demangled, unless that is not wanted */
    {"symbol", push_plain_name},  /* as in the symbol table */
    {"address", push_address},
    {"size", push_size},          /* bytes up to the next one */
    {"static", push_static},      /* local to its file */
    {"is_function", push_is_function},  /* typed as a function */
    {"mapped", push_mapped},      /* stands for an object file of a map */
    {"file", push_file},          /* source file as recorded, or nil */
    {"line", push_line},          /* line of its entry, or nil */
    {"image", push_image},
    {NULL, NULL}};

static int describe(lua_State *L) {
  part p = check_part(L, GP_SYMBOL);
  push_symbol_name(L, &p);
  lua_pushfstring(L, "symbol: %s", lua_tostring(L, -1));
  return 1;
}

void define_symbol(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg meta[] = {{"__tostring", describe}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"symbols_method", symbols_method}, {NULL, NULL}};
  define_object(L, GP_SYMBOL, get_part_field, meta, none);
  define_fields(L, symbol_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, symbol_parts.fields);
  luaL_setfuncs(L, functions, 0);
}
