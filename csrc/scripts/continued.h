/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs already when a recording continues after a pause, or when a coroutine that is
 * older than the recording is resumed: the functions and zones are put on the stack of
 * the coroutine, so that what they call has its call path. Their calls are not counted.
 */
#ifndef GPROF_SCRIPTS_CONTINUED_H
#define GPROF_SCRIPTS_CONTINUED_H

#include "scripts/recording.h"

/* Fills the stack of a coroutine, which has none yet; false if there is no memory.
 * `former`: its stack before the pause, empty if it had none. The functions that lead to
 * the calling C function, as far as they are in one Lua file, are not shown. */
bool scr_continue(scr_recording *r, lua_State *L, const scr_stack *former);

/* Fills the stack of an older coroutine, up to the caller if `ar` is the event of a call;
 * false if there is no memory. */
bool scr_join(scr_recording *r, lua_State *L, scr_stack *stack, const lua_Debug *ar);

#endif
