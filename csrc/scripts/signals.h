/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that end a Lua program: it writes its profile first.
 *
 * Lua code cannot run in a signal handler. As Lua's own interpreter does for Ctrl-C, the
 * handler sets a hook, and the state does the rest before its next instruction. While the
 * program waits in a C function, nothing of Lua runs, and the handler does it.
 */
#ifndef GPROF_SCRIPTS_SIGNALS_H
#define GPROF_SCRIPTS_SIGNALS_H

#include "scripts/recording.h"

/* Has the function at the top of the stack, which it pops, called when a signal ends the
 * program. Signals that the program handles or ignores are left alone. */
void scr_catch_signals(lua_State *L, scr_recording *r);

/* While the recording `awaits_program`: once that runs, has the function called also by
 * the SIGINT that ends it. The interpreter's handler takes the first one, which stops the
 * program only when it executes an instruction: a server may wait in a C function. A
 * SIGINT that comes while the recorder's hook runs waits for its end. */
void scr_catch_interrupts(scr_recording *r, lua_State *L);

/* Restores the default actions, unless a signal is just ending the program. Does nothing
 * for other recordings. */
void scr_leave_signals(const scr_recording *r);

#endif
