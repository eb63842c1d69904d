/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continues a recording after a pause: the functions and zones that run are put on the
 * stack of the coroutine, so that what they call has its call path. Their calls are not
 * counted again.
 */
#ifndef GPROF_SCRIPTS_CONTINUED_H
#define GPROF_SCRIPTS_CONTINUED_H

#include "scripts/recording.h"

/* Fills the stack of a coroutine, which has none yet; false if there is no memory.
 * `former`: its stack before the pause, empty if it had none. The functions that lead to
 * the calling C function, as far as they are in one Lua file, are not shown. */
bool scr_continue(scr_recording *r, lua_State *L, const scr_stack *former);

#endif
