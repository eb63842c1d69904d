/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of objects: the functions, cycles and arcs of a profile, the symbols of an image.
 *
 * A part is identified by its row in the core's columns. Lua gets the same object each
 * time it asks for the same part, so parts can be compared with == and used as table
 * keys.
 */
#ifndef GP_LUA_PART_H
#define GP_LUA_PART_H

#include "lua/object.h"

typedef struct gp_part_kind {
  const char *fields;     /* registry key of the table of fields */
  const void *(*open)(lua_State *L, int whole);  /* returns the owner; an error if it is
                                                    closed */
  bool (*is_open)(const void *whole);  /* the argument is the box of the whole object */
  void (*push)(lua_State *L, const gp_part *p);  /* pushes the object of the part */
  void (*prefetch)(const void *owner, const uint32_t *rows, size_t count);  /* starts to
                             load the parts that an iterator returns soon, after
                             rows[0]; NULL: does not */
  int symbols;            /* which user value of the whole object holds the symbols; 0:
                             the whole object is the symbols */
} gp_part_kind;

/* Returns the field that argument `index` names, from the table of fields on the top of
 * the stack; a Lua error if there is no such field. */
const gp_field *gp_check_field(lua_State *L, int index);

/* Pushes the value of a field of a part. Afterwards, the whole object is still open: a
 * getter that runs Lua code checks it again, and so does this function if it allocates
 * memory, which can run a finalizer that closes the object. */
static inline void gp_push_field(gp_part *p, const gp_field *field) {
  gp_field_value v = field->get(p);
  gp_push_value(p->L, v);
  if (v.type >= GP_FIELD_TEXT) p->owner = p->kind->open(p->L, p->whole);
}

/* Pushes the values of the fields of a part that the arguments from `first` on name.
 * Returns their number. */
int gp_push_fields(lua_State *L, gp_part *p, int first);

/* Pushes the object of a part. User value `table` of the whole object caches these
 * objects; creates the object with metatable `metatable` if it is not cached. */
void gp_push_part(lua_State *L, const gp_part *p, int table, const char *metatable);

/* Returns the part whose object is argument 1. Pushes the whole object. */
gp_part gp_check_part(lua_State *L, const char *metatable);

/* Finds the part whose object is argument 1, for its __tostring. Pushes the whole object.
 * If that is closed, pushes a description, such as "function (closed)", and returns
 * false. */
bool gp_find_part(lua_State *L, const char *metatable, gp_part *part);

/* Raises an error about an argument, from `first` on, that names no field. */
void gp_check_fields(lua_State *L, const gp_part_kind *kind, int first);

/* __index of parts. */
int gp_get_part_field(lua_State *L);

#endif
