/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modules that are linked into the interpreter. */
#ifndef GP_MODULES_H
#define GP_MODULES_H

#include <lua.h>

/* Adds the modules to package.preload. */
void preload_modules(lua_State *L);

#endif
