/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modules that are linked with the interpreter. */
#ifndef GP_MODULES_H
#define GP_MODULES_H

#include <lua.h>

/* Puts them among those that `require` finds. */
void preload_modules(lua_State *L);

#endif
