/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading option tables, and returning failures (nil and a message) to Lua. */
#ifndef GP_LUA_ARGUMENTS_H
#define GP_LUA_ARGUMENTS_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Raises an error about the table at stack index `index`, an argument, if it has a key
 * that is not in `names`. `word` is what keys are: "option" or "field". */
void gp_check_keys(lua_State *L, int index, const char *word, const char *const names[]);

/* Whether an option is set (not nil or false) in the table at stack index `index`. */
bool gp_flag_option(lua_State *L, int index, const char *name);

/* The string value of an option, or NULL if it is nil; a Lua error if it is anything
 * else. The string stays valid as long as the table holds it. */
const char *gp_text_option(lua_State *L, int index, const char *name);

/* Pushes nil and the message "PATH: ERROR". Returns 2, the number of results, so that a
 * function can return the failure to Lua instead of raising it. */
int gp_push_failure(lua_State *L, const char *path, const gp_error *error);

/* Pushes nil and the message "ERROR", without a path. Returns 2. */
int gp_push_error(lua_State *L, const gp_error *error);

/* Pushes nil and, for a failed system call, the message "WHAT: " and the text for errno.
 * Returns 2. */
int gp_push_system_failure(lua_State *L, const char *what);

/* Returns the file descriptor of the Lua file at `index`. */
int gp_check_open_file(lua_State *L, int index);

/* The same, to write to the file. Flushes it, so that earlier output comes first. */
int gp_check_writable(lua_State *L, int index);

/* Plural suffix: "" or "s". */
static inline const char *gp_plural(size_t count) { return count == 1 ? "" : "s"; }

#endif
