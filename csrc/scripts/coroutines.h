/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tracks the running coroutine if calls are not counted. There are no call events then,
 * so coroutine.resume and coroutine.wrap are replaced. If calls are counted, coroutines
 * that are older than the recording get their hook when they are resumed.
 */
#ifndef GPROF_SCRIPTS_COROUTINES_H
#define GPROF_SCRIPTS_COROUTINES_H

#include <lua.h>

#include "scripts/recording.h"

/* coroutines(resume, wrap, create) -> the functions that replace the first two, which do
 * what Lua's own do; and what the second one returns, only for its name. What are not
 * functions in C is not replaced */
int scr_coroutines(lua_State *L);

/* Whether calls of a C function resume coroutines. */
bool scr_resumes(lua_CFunction entry);

/* Gives the hook of a recording to the coroutine that a call resumes, unless it has that
 * of the program. `entry` is the called function; `ar`, the event of the call. */
void scr_hook_resumed(scr_recording *r, lua_State *L, const lua_Debug *ar,
                      lua_CFunction entry);

/* Whether calls of a C function create coroutines. */
bool scr_creates(lua_CFunction entry);

/* Remembers where a coroutine is created: by the call that `ar` is about, in a line of
 * its caller; 0 if that is not known. */
void scr_note_creation(scr_recording *r, lua_State *L, const lua_Debug *ar,
                       uint32_t line);

#endif
