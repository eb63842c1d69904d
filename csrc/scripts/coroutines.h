/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which coroutine runs, if calls are not counted. Then there are no events that show it:
 * coroutine.resume and coroutine.wrap are replaced.
 */
#ifndef GPROF_SCRIPTS_COROUTINES_H
#define GPROF_SCRIPTS_COROUTINES_H

#include <lua.h>

/* coroutines(resume, wrap) -> the functions that replace these: they do what Lua's own
 * do, and Lua functions are not replaced */
int scr_coroutines(lua_State *L);

#endif
