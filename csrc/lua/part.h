/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of objects: the functions, cycles and arcs of a profile, the symbols of an image.
 *
 * A part is known by its number, its row in the core's columns. Lua has one object for
 * each part that it was ever given, so that parts equal themselves and can be keys.
 */
#ifndef GP_LUA_PART_H
#define GP_LUA_PART_H

#include "lua/object.h"

typedef struct gp_part_kind {
  const char *fields;     /* the registry has the table of its fields by this name */
  const void *(*open)(lua_State *L, int whole);  /* owner; a Lua error if it is closed */
  void (*push)(lua_State *L, const gp_part *p);  /* pushes the one object that is it */
  int symbols;            /* user value of the whole that has the symbols; 0: the whole */
} gp_part_kind;

/* The field that argument `index` names, from the table of fields on the top of the
 * stack; a Lua error if there is none. */
const gp_field *gp_check_field(lua_State *L, int index);

/* Pushes the object of a part from the table that is user value `table` of the whole,
 * and makes it if there is none. */
void gp_push_part(lua_State *L, const gp_part *p, int table, const char *metatable);

/* The part whose object is argument 1; pushes the whole. */
gp_part gp_check_part(lua_State *L, const char *metatable);

/* object.key for parts. */
int gp_get_part_field(lua_State *L);

#endif
