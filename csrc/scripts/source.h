/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the source text of a program. */
#ifndef GPROF_SCRIPTS_SOURCE_H
#define GPROF_SCRIPTS_SOURCE_H

#include <lua.h>

/* source(path) -> the text of a regular file, and when the file was changed, in
 * nanoseconds since 1970; nil if it cannot be read, or is very large. A chunk may come
 * from a pipe: this function does not wait for one. */
int scr_source(lua_State *L);

/* directory() -> a string that identifies the current directory; nil if it is unknown */
int scr_directory(lua_State *L);

#endif
