/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A symbol for Lua: what an image says of a function, without any profile.
 *
 * Functions of a profile have the same fields: they are rows of the table of symbols that
 * the profile was made with.
 */
#include <string.h>

#include "base/sort.h"
#include "lua/binding.h"

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
  each->rows.row = gp_identity(symtab->count);
  for (uint32_t row = 0; each->rows.row && row < symtab->count; row++)
    if (gp_symtab_owner(symtab, row) == row) each->rows.row[each->rows.count++] = row;
  return return_iteration(L, order >= 0);
}

/* Upvalue: a function that finds the symbols of argument 1, which then take its place: so
 * an error names the arguments of this function, and blames its caller. */
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
  part p = {L, &symbol_parts, box, row, 1};
  push_symbol(L, &p);
  return 1;
}

int push_symbol_of_number(lua_State *L) {
  symbols_box *box = check_symbols(L, 1);
  lua_Integer id = luaL_checkinteger(L, 2);
  luaL_argcheck(L, id >= 1 && (lua_Unsigned)id <= box->symtab.count, 2,
                "no symbol of that number");
  part p = {L, &symbol_parts, box, gp_symtab_owner(&box->symtab, (uint32_t)(id - 1)), 1};
  push_symbol(L, &p);
  return 1;
}

/* --- fields ------------------------------------------------------------------ */

/* The symbols that a part is of: whoever has it has them, too. */
static symbols_box *symbols_of(const part *p) {
  if (p->kind->symbols == 0) return lua_touserdata(p->L, p->whole);
  lua_getiuservalue(p->L, p->whole, p->kind->symbols);
  symbols_box *box = lua_touserdata(p->L, -1);
  lua_pop(p->L, 1);
  return box;
}

static const gp_symtab *symtab_of(const part *p) { return &symbols_of(p)->symtab; }

const char *linker_name(const symbols_box *box, uint32_t id) {
  return box->symtab.name[id];
}

const char *shown_name(lua_State *L, symbols_box *box, uint32_t id) {
  if (!box->demangled) return linker_name(box, id);
  const char *name = gp_demangled_name(&box->shown, box->image->image, &box->symtab, id);
  if (!name) raise_no_memory(L);
  return name;
}

field_value name_of_symbol(const part *p) {
  return text_value(shown_name(p->L, symbols_of(p), p->id));
}

static field_value get_linker_name(const part *p) {
  return text_value(linker_name(symbols_of(p), p->id));
}

static field_value get_address(const part *p) {
  return integer_value(symtab_of(p)->address[p->id]);
}

static field_value get_size(const part *p) {
  const gp_symtab *symtab = symtab_of(p);
  uint32_t id = p->id;
  uint64_t first = symtab->address[id], last = gp_symtab_end(symtab, id);
  return integer_value(last < first ? 0 : last - first + 1);
}

static field_value get_static(const part *p) {
  return boolean_value(symtab_of(p)->flags[p->id] & GP_STATIC);
}

static field_value get_is_function(const part *p) {
  return boolean_value(symtab_of(p)->flags[p->id] & GP_FUNCTION);
}

/* The library that it is of, beside a program. */
static field_value get_object(const part *p) {
  const char *const *object = symtab_of(p)->object;
  return object && object[p->id] ? text_value(object[p->id]) : no_value;
}

static field_value get_mapped(const part *p) {
  return boolean_value(symtab_of(p)->flags[p->id] & GP_MAPPED);
}

/* The sources of all symbols are looked up at once, when one is wanted first. */
static const gp_symbol_sources *sources_of(const part *p) {
  return sources_of_symbols(p->L, symbols_of(p));
}

static field_value get_file(const part *p) {
  const gp_symbol_sources *sources = sources_of(p);
  uint32_t file = sources->file[p->id];
  return file == GP_NONE ? no_value : text_value(sources->files.name[file]);
}

static field_value get_line(const part *p) {
  const gp_symbol_sources *sources = sources_of(p);
  if (sources->file[p->id] == GP_NONE) return no_value;
  return integer_value(sources->line[p->id]);
}

static field_value get_id(const part *p) { return integer_value((uint64_t)p->id + 1); }

static field_value get_image(const part *p) {
  if (p->kind->symbols == 0)
    lua_pushvalue(p->L, p->whole);
  else
    lua_getiuservalue(p->L, p->whole, p->kind->symbols);
  lua_getiuservalue(p->L, -1, SYMBOLS_IMAGE);
  lua_remove(p->L, -2);
  return pushed_value;
}

const part_field symbol_fields[] = {
    {"id", get_id},              /* its number in the table */
    {"name", name_of_symbol},    /* demangled, unless that is not wanted */
    {"symbol", get_linker_name},  /* as in the symbol table */
    {"address", get_address},
    {"size", get_size},          /* bytes up to the next one */
    {"static", get_static},      /* local to its file */
    {"is_function", get_is_function},  /* typed as a function */
    {"mapped", get_mapped},      /* stands for an object file of a map */
    {"object", get_object},      /* the library that it is of, beside a program, or nil */
    {"file", get_file},          /* source file as recorded, or nil */
    {"line", get_line},          /* line of its entry, or nil */
    {"image", get_image},
    {NULL, NULL}};

static int describe(lua_State *L) {
  part p = check_part(L, GP_SYMBOL);
  lua_pushfstring(L, "symbol: %s", name_of_symbol(&p).as.text);
  return 1;
}

void define_symbol(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg meta[] = {{"__tostring", describe}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"symbols_method", symbols_method}, {NULL, NULL}};
  define_object(L, GP_SYMBOL, get_part_field, meta, none);
  define_part_fields(L, symbol_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, symbol_parts.fields);
  luaL_setfuncs(L, functions, 0);
}
