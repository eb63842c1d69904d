/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of an image for Lua. */
#ifndef GP_LUA_SYMBOLS_H
#define GP_LUA_SYMBOLS_H

#include "lua/image.h"
#include "symbols/demangled.h"
#include "symbols/name_index.h"
#include "symbols/symbol_source.h"

#define GP_SYMBOLS "gprof.symbols"

typedef struct gp_symbols_box {
  const gp_image_box *image;  /* kept alive by user value GP_SYMBOLS_IMAGE */
  gp_symfile listed, map;     /* the files that symbols came from, if any */
  gp_symtab symtab;
  gp_demangled shown;         /* demangled names, made on demand; */
  gp_name_index names;        /*   so are these */
  gp_symbol_sources sources;
  bool named, sourced;        /* were they made? */
  bool demangled;             /* names are shown demangled */
} gp_symbols_box;

/* User values of symbols. In a table by line, GP_SYMBOLS_FUNCTIONS are the functions that
 * the lines are of; GP_SYMBOLS_OBJECTS are Lua's objects of symbols, by number. */
enum { GP_SYMBOLS_IMAGE = 1, GP_SYMBOLS_TRACE, GP_SYMBOLS_FUNCTIONS, GP_SYMBOLS_OBJECTS,
       GP_SYMBOLS_PARTS,  /* of several objects: a table of their symbols, kept alive */
       GP_SYMBOLS_VALUES = GP_SYMBOLS_PARTS };

/* The policy for the option `gnu_compat`. */
static inline const gp_policy *gp_policy_of(bool gnu_compat) {
  return gnu_compat ? &gp_policy_gnu : &gp_policy_default;
}

/* The symbols at `index`, of an open image; a Lua error if they are anything else. */
gp_symbols_box *gp_check_symbols(lua_State *L, int index);

/* The symbols in a box that a part keeps; a Lua error that blames no argument if their
 * image is closed. */
gp_symbols_box *gp_open_symbols(lua_State *L, gp_symbols_box *box);

/* Pushes symbols that are still empty, for those of the objects in the table at stack
 * index 2, which are kept alive. They are of the image of the first. */
gp_symbols_box *gp_push_merged_symbols(lua_State *L);

/* Files and lines of symbols, looked up on first use. */
const gp_symbol_sources *gp_sources_of_symbols(lua_State *L, gp_symbols_box *box);

/* A symbol's name: as in the symbol table, without the prefix that the target puts before
 * names of C; and as reports show it. */
const char *gp_linker_name(const gp_symbols_box *box, uint32_t id);
const char *gp_shown_name(lua_State *L, gp_symbols_box *box, uint32_t id);

#endif
