/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that functions of the binding take, and failures that they return. */
#ifndef GP_LUA_ARGUMENTS_H
#define GP_LUA_ARGUMENTS_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A field of the table of options at `index`: whether it is set; its text, which lasts as
 * long as the table holds it, or NULL. */
bool gp_flag_option(lua_State *L, int index, const char *name);
const char *gp_text_option(lua_State *L, int index, const char *name);

/* Pushes nil and a message, "PATH: what is wrong", and returns 2: to be returned, not
 * raised. */
int gp_push_failure(lua_State *L, const char *path, const gp_error *error);

/* Pushes nil and the message alone, and returns 2. */
int gp_push_error(lua_State *L, const gp_error *error);

/* Pushes nil and a message, "WHAT: the reason in errno", and returns 2. */
int gp_push_system_failure(lua_State *L, const char *what);

/* Plural suffix: "" or "s". */
static inline const char *gp_plural(size_t count) { return count == 1 ? "" : "s"; }

#endif
