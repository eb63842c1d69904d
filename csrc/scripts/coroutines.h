/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tracks the running coroutine if calls are not counted. There are no call events then,
 * so coroutine.resume and coroutine.wrap are replaced.
 */
#ifndef GPROF_SCRIPTS_COROUTINES_H
#define GPROF_SCRIPTS_COROUTINES_H

#include <lua.h>

/* coroutines(resume, wrap) -> the functions that replace these: they do what Lua's own
 * do, and Lua functions are not replaced */
int scr_coroutines(lua_State *L);

#endif
