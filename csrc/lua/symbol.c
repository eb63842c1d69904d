/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols for Lua: functions of an image, independent of any profile. Functions of a
 * profile have the same fields, because they are rows of the profile's symbol table.
 */
#include "base/sort.h"
#include "lua/iteration.h"
#include "lua/module.h"
#include "lua/symbol.h"
#include "lua/symbols.h"

#define GP_SYMBOL "gprof.symbol"

static const void *open_whole(lua_State *L, int whole) {
  return gp_open_symbols(L, lua_touserdata(L, whole));
}

static bool is_open(const void *whole) { return gp_symbols_are_open(whole); }

static void push_symbol(lua_State *L, const gp_part *p);

static const gp_part_kind symbol_parts = {"gprof.symbol.fields", open_whole, is_open,
                                          push_symbol, NULL, 0};

static void push_symbol(lua_State *L, const gp_part *p) {
  gp_push_part(L, p, GP_SYMBOLS_OBJECTS, GP_SYMBOL);
}

/* symbols:each([order [, field...]]) */
static int iterate_symbols(lua_State *L) {
  static const char *const names[] = {"address", NULL};
  const gp_symtab *symtab = &gp_check_symbols(L, 1)->symtab;
  int order = gp_order_option(L, 2, names);
  gp_iteration *each = gp_new_iteration(L, &symbol_parts, 1, 2);
  each->rows.row = gp_identity(symtab->count);
  for (uint32_t row = 0; each->rows.row && row < symtab->count; row++)
    if (gp_symtab_owner(symtab, row) == row) each->rows.row[each->rows.count++] = row;
  return gp_return_iteration(L, order >= 0);
}

/* image:symbols(...). Upvalue: a function that returns the symbols of an image. The
 * symbols replace argument 1, so that errors name this function's arguments and its
 * caller's line. */
static int iterate_found(lua_State *L) {
  if (lua_gettop(L) == 0) lua_pushnil(L);
  luaL_checkstack(L, 2, NULL);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_replace(L, 1);
  return iterate_symbols(L);
}

/* Pushes a method of images. Its upvalue is argument 1, a function that finds symbols. */
static int push_method(lua_State *L, lua_CFunction method) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, method, 1);
  return 1;
}

/* symbols_method(find) -> the method image:symbols([order [, field...]]); find(image)
 * returns the symbols of an image */
static int symbols_method(lua_State *L) {
  return push_method(L, iterate_found);
}

/* symbols:lookup(address [, field...]) -> the symbol at an address, or the values of its
 * fields; or nil */
static int look_symbol_up(lua_State *L) {
  gp_symbols_box *box = gp_check_symbols(L, 1);
  uint32_t row = gp_symtab_find(&box->symtab, (uint64_t)luaL_checkinteger(L, 2));
  if (row == GP_NONE) {
    gp_check_fields(L, &symbol_parts, 3);
    lua_pushnil(L);
    return 1;
  }
  gp_part p = {L, &symbol_parts, box, row, 1};
  if (lua_gettop(L) > 2) return gp_push_fields(L, &p, 3);
  push_symbol(L, &p);
  return 1;
}

/* image:lookup(address [, field...]) -> as symbols:lookup; or nil and a message. Upvalue:
 * a function that checks the address, and returns the symbols of the image, or nil and a
 * message. For the rest, see iterate_found. */
static int look_up_found(lua_State *L) {
  if (lua_gettop(L) < 2) lua_settop(L, 2);
  luaL_checkstack(L, 3, NULL);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 2);
  if (lua_isnil(L, -2)) return 2;
  lua_pop(L, 1);
  lua_replace(L, 1);
  return look_symbol_up(L);
}

/* lookup_method(find) -> the method image:lookup(address [, field...]) */
static int lookup_method(lua_State *L) {
  return push_method(L, look_up_found);
}

/* symbols:symbol(id) -> symbol; for the cold part of a function, that function */
static int push_symbol_of_number(lua_State *L) {
  gp_symbols_box *box = gp_check_symbols(L, 1);
  lua_Integer id = luaL_checkinteger(L, 2);
  luaL_argcheck(L, id >= 1 && (lua_Unsigned)id <= box->symtab.count, 2,
                "no symbol with this number");
  gp_part p = {L, &symbol_parts, box, gp_symtab_owner(&box->symtab, (uint32_t)(id - 1)),
               1};
  push_symbol(L, &p);
  return 1;
}

/* --- fields ------------------------------------------------------------------ */

/* Returns the symbol table that a part belongs to. The part keeps it alive. */
static gp_symbols_box *symbols_of(const gp_part *p) {
  if (p->kind->symbols == 0) return lua_touserdata(p->L, p->whole);
  lua_getiuservalue(p->L, p->whole, p->kind->symbols);
  gp_symbols_box *box = lua_touserdata(p->L, -1);
  lua_pop(p->L, 1);
  return box;
}

static const gp_symtab *symtab_of(const gp_part *p) { return &symbols_of(p)->symtab; }

static gp_field_value text_or_nil(const char *text) {
  return text ? gp_text_value(text) : gp_no_value;
}

gp_field_value gp_name_of_symbol(const gp_part *p) {
  gp_symbols_box *box = symbols_of(p);
  const bool reported = box->image->names_reported;
  const char *name = gp_shown_name(p->L, box, p->id);
  /* the handler of large names may have closed the object */
  if (box->image->names_reported != reported) p->kind->open(p->L, p->whole);
  return gp_text_value(name);
}

GP_GETTER(linker_name, gp_text_value(gp_linker_name(symbols_of(p), p->id)))

/* nil for a function that was only inlined: it has no code of its own */
GP_GETTER(address, gp_symtab_is_inlined(symtab_of(p), p->id)
                       ? gp_no_value : gp_integer_value(symtab_of(p)->address[p->id]))

static gp_field_value get_size(const gp_part *p) {
  const gp_symtab *symtab = symtab_of(p);
  uint32_t id = p->id;
  if (gp_symtab_is_inlined(symtab, id)) return gp_no_value;
  uint64_t first = symtab->address[id], last = gp_symtab_end(symtab, id);
  return gp_integer_value(last < first ? 0 : last - first + 1);
}

GP_GETTER(static, gp_boolean_value(symtab_of(p)->flags[p->id] & GP_STATIC))
GP_GETTER(is_function, gp_boolean_value(symtab_of(p)->flags[p->id] & GP_FUNCTION))
GP_GETTER(object, text_or_nil(gp_symtab_library(symtab_of(p), p->id)))
GP_GETTER(mapped, gp_boolean_value(symtab_of(p)->flags[p->id] & GP_MAPPED))

/* The file or line of a symbol; nil if it is unknown. */
static gp_field_value source_value(const gp_part *p, bool is_line) {
  gp_symbols_box *box = symbols_of(p);
  const bool sourced = box->sourced;
  const gp_symbol_sources *sources = gp_sources_of_symbols(p->L, box);
  if (!sourced) p->kind->open(p->L, p->whole);  /* warnings may have closed the object */
  uint32_t file = sources->file[p->id];
  if (file == GP_NONE) return gp_no_value;
  if (is_line) return gp_integer_value(sources->line[p->id]);
  return gp_text_value(sources->files.name[file]);
}

GP_GETTER(file, source_value(p, false))
GP_GETTER(line, source_value(p, true))
GP_GETTER(id, gp_integer_value((uint64_t)p->id + 1))

static gp_field_value get_image(const gp_part *p) {
  if (p->kind->symbols == 0)
    lua_pushvalue(p->L, p->whole);
  else
    lua_getiuservalue(p->L, p->whole, p->kind->symbols);
  lua_getiuservalue(p->L, -1, GP_SYMBOLS_IMAGE);
  lua_remove(p->L, -2);
  return gp_pushed_value;
}

const gp_field gp_symbol_fields[] = {
    {"id", get_id},              /* number in the symbol table */
    {"name", gp_name_of_symbol},  /* demangled by default */
    {"symbol", get_linker_name},  /* as in the symbol table */
    {"address", get_address},    /* or nil */
    {"size", get_size},          /* bytes up to the next symbol; or nil */
    {"static", get_static},      /* local to its file */
    {"is_function", get_is_function},  /* typed as a function */
    {"mapped", get_mapped},      /* stands for an object file of a map */
    {"object", get_object},      /* library, in a merged profile; nil for the program */
    {"file", get_file},          /* source file as recorded, or nil */
    {"line", get_line},          /* line of its first instruction, or nil */
    {"image", get_image},
    {NULL, NULL}};

static int describe(lua_State *L) {
  gp_part p;
  if (!gp_find_part(L, GP_SYMBOL, &p)) return 1;
  lua_pushfstring(L, "symbol: %s", gp_name_of_symbol(&p).as.text);
  return 1;
}

void gp_define_symbol(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg meta[] = {{"__tostring", describe}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"symbols_method", symbols_method}, {"lookup_method", lookup_method},
      {NULL, NULL}};
  static const luaL_Reg symbols_methods[] = {
      {"each", iterate_symbols}, {"lookup", look_symbol_up},
      {"symbol", push_symbol_of_number}, {NULL, NULL}};
  gp_define_methods(L, GP_SYMBOLS, symbols_methods);
  gp_define_object(L, GP_SYMBOL, gp_get_part_field, meta, none, gp_symbol_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, symbol_parts.fields);
  luaL_setfuncs(L, functions, 0);
}
