/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program's debug.sethook. For hooks in C, debug.gethook returns the string "external
 * hook", which Lua's own debug.sethook refuses: programs that restore a hook, or give a
 * coroutine that of another one, would fail because they are recorded.
 */
#ifndef GPROF_SCRIPTS_PROGRAM_HOOKS_H
#define GPROF_SCRIPTS_PROGRAM_HOOKS_H

#include <lua.h>

/* sethook(original) -> the function that replaces debug.sethook: does the same, but takes
 * the hook of a recording, too. What is not a function in C is not replaced */
int scr_sethook(lua_State *L);

#endif
