/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects for Lua: metatables, methods and fields.
 *
 * Every core object that Lua sees lives in a userdata, its box. The box is created empty
 * before the core is called, and filled afterwards. If Lua raises an error in between,
 * the collector frees the box and what it holds. A closed box is empty.
 *
 * object.key is looked up in one table per metatable, which holds methods as functions
 * and fields as light userdata (pointers to gp_field). `false` stands for a member that
 * only objects of a related type have: it reads as nil. Any other key is a Lua error,
 * because a misspelled field would read like an unknown value.
 */
#ifndef GP_LUA_OBJECT_H
#define GP_LUA_OBJECT_H

#include <lauxlib.h>

#include "lua/value.h"

/* The argument of a field getter: a whole object, or a part of an object (see part.h). */
typedef struct gp_part {
  lua_State *L;
  const struct gp_part_kind *kind;  /* NULL: a whole object */
  const void *owner;      /* the object's box; for a part: see gp_part_kind.open */
  uint32_t id;            /* row of the part in the core's columns */
  int whole;              /* stack index of the whole object */
} gp_part;

typedef struct gp_field {
  const char *name;
  gp_field_value (*get)(const gp_part *p);  /* if it runs Lua code, checks afterwards that
                                               the object is still open */
} gp_field;

/* Defines the getter of a field whose value is an expression of the part `p`. */
#define GP_GETTER(name, value) \
  static gp_field_value get_##name(const gp_part *p) { return value; }

/* The value of a field that is the whole object's user value `number`. */
gp_field_value gp_user_value(const gp_part *p, int number);

/* The first user value of images, data, symbols and profiles: a table that belongs to the
 * library in Lua; nil until core.state makes it. */
enum { GP_STATE = 1 };

/* Creates the metatable `name` from metamethods, methods and fields (NULL: none), and
 * pushes the lookup table for object.key. `get` becomes __index, with the lookup table
 * and the metatable as upvalues. Assigning to a field is a Lua error. */
void gp_define_object(lua_State *L, const char *name, lua_CFunction get,
                      const luaL_Reg *meta, const luaL_Reg *methods,
                      const gp_field *fields);

/* Adds methods to a type that gp_define_object created. */
void gp_define_methods(lua_State *L, const char *name, const luaL_Reg *methods);

/* Adds more fields to the lookup table on the top of the stack. The list ends with a NULL
 * name. */
void gp_define_fields(lua_State *L, const gp_field *fields);

/* Makes the members that only one of two types has absent members of the other one. */
void gp_share_members(lua_State *L, const char *name, const char *other);

/* For __index functions: returns argument 1, the object; a Lua error if it is of another
 * type. Leaves object and key on the stack. */
void *gp_check_self(lua_State *L);

/* For __index functions, with object and key on the stack: returns the field; NULL for
 * any other member, whose value it pushes. */
const gp_field *gp_find_member(lua_State *L);

/* __index of whole objects. */
int gp_get_field(lua_State *L);

#endif
