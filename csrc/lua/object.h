/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects for Lua: metatables, methods and fields.
 *
 * Every object of the core that Lua sees lives in a userdata, its box. The box is made
 * empty before the core is called and filled afterwards, so that the collector frees
 * whatever there is when Lua raises an error in between. A closed box is an empty one.
 *
 * object.key is looked up in one table per metatable: it has methods as functions and
 * fields as light userdata.
 */
#ifndef GP_LUA_OBJECT_H
#define GP_LUA_OBJECT_H

#include <lauxlib.h>

#include "lua/value.h"

/* What fields are read from: an object as a whole, or a part of one (see part.h). */
typedef struct gp_part {
  lua_State *L;
  const struct gp_part_kind *kind;  /* NULL: an object as a whole */
  const void *owner;      /* the box of the object; what a part is of, in the core */
  uint32_t id;            /* the row of a part there */
  int whole;              /* stack index of Lua's object: itself, or the part's owner */
} gp_part;

typedef struct gp_field {
  const char *name;
  gp_field_value (*get)(const gp_part *p);
} gp_field;

/* Makes the metatable `name` from metamethods and methods. Pushes the table in which
 * object.key is looked up by `get`, a closure over that table and the metatable. Setting
 * a field is a Lua error. */
void gp_define_object(lua_State *L, const char *name, lua_CFunction get,
                      const luaL_Reg *meta, const luaL_Reg *methods);

/* Adds methods to the objects of metatable `name`, which gp_define_object made. */
void gp_define_methods(lua_State *L, const char *name, const luaL_Reg *methods);

/* Adds fields to the table on the top; the list ends with one without name. */
void gp_define_fields(lua_State *L, const gp_field *fields);

/* For functions that look up: returns the object that is argument 1; a Lua error if it is
 * not of the right type. Leaves the object and the key on the stack. */
void *gp_check_self(lua_State *L);

/* object.key for objects that are not parts of others. */
int gp_get_field(lua_State *L);

#endif
