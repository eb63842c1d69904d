/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol tables (the functions of an image) for Lua. */
#ifndef GP_LUA_SYMBOLS_H
#define GP_LUA_SYMBOLS_H

#include "lua/image.h"
#include "symbols/demangled.h"
#include "symbols/name_index.h"
#include "symbols/symbol_source.h"

#define GP_SYMBOLS "gprof.symbols"

typedef struct gp_symbols_box {
  const gp_image_box *image;  /* kept alive by user value GP_SYMBOLS_IMAGE */
  gp_symfile listed, map;     /* symbol file and map, if any */
  gp_symtab symtab;
  gp_demangled shown;         /* demangled names, made on demand */
  gp_name_index names;        /* index by name, made on demand */
  bool named;                 /* `names` was made */
  gp_symbol_sources sources;  /* source lines, looked up on demand */
  bool sourced;               /* `sources` were looked up */
  bool demangled;             /* reports show demangled names */
  bool complete;              /* no option removes or renames functions of the image */
} gp_symbols_box;

/* User values of symbols. GP_SYMBOLS_FUNCTIONS: for a table by line or with inlined
 * functions, the table of functions that it was made from. GP_SYMBOLS_OBJECTS: a table
 * from rows to the Lua objects of symbols. */
enum { GP_SYMBOLS_IMAGE = GP_STATE + 1, GP_SYMBOLS_TRACE, GP_SYMBOLS_FUNCTIONS,
       GP_SYMBOLS_OBJECTS,
       GP_SYMBOLS_PARTS,  /* of merged symbols: keeps the symbols of the objects alive */
       GP_SYMBOLS_VALUES = GP_SYMBOLS_PARTS };

/* The policy for the option `gnu_compat`. */
static inline const gp_policy *gp_policy_of(bool gnu_compat) {
  return gnu_compat ? &gp_policy_gnu : &gp_policy_default;
}

/* Whether symbols can be used: their image is open. */
bool gp_symbols_are_open(const gp_symbols_box *box);

/* Returns the symbols at stack index `index`; a Lua error if their image is closed, or if
 * the value is of another type. */
gp_symbols_box *gp_check_symbols(lua_State *L, int index);

/* Checks the symbols in a box. If their image is closed, raises a Lua error that names no
 * argument. Used for parts (see part.h). */
gp_symbols_box *gp_open_symbols(lua_State *L, gp_symbols_box *box);

/* Pushes empty symbols for gp_merged_objects_build. Stack index 2 holds an array with a
 * table for each object, with its symbols, or false, as first item. The new symbols
 * belong to the image of the first object, and keep the symbols of all objects alive. */
gp_symbols_box *gp_push_merged_symbols(lua_State *L);

/* Returns the source files and lines of symbols, looked up on first use. */
const gp_symbol_sources *gp_sources_of_symbols(lua_State *L, gp_symbols_box *box);

/* The name of a symbol in the symbol table, without the prefix that the target adds to C
 * names (such as an underscore). */
const char *gp_linker_name(const gp_symbols_box *box, uint32_t id);

/* The name of a symbol as reports show it. */
const char *gp_shown_name(lua_State *L, gp_symbols_box *box, uint32_t id);

#endif
