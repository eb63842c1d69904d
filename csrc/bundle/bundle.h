/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library's modules as bytecode, for the modules gprof.core and gprof.hooks. */
#ifndef GP_BUNDLE_BUNDLE_H
#define GP_BUNDLE_BUNDLE_H

#include <lua.h>

/* Adds open_bundle to the table on the top of the stack. */
void gp_define_bundle(lua_State *L);

#endif
