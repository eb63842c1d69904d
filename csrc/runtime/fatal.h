/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the profile when a signal ends the program. The recorder handles each signal
 * whose default action ends the program, unless the program has set an action for it.
 * After writing the profile, the recorder lets the default action end the program.
 */
#ifndef GPROF_RUNTIME_FATAL_H
#define GPROF_RUNTIME_FATAL_H

#include <signal.h>
#include <stdbool.h>

/* Begins to handle the signals that have their default action. */
void rec_catch_signals(void);

/* Leaves all signals to the program. */
void rec_leave_signals(void);

/* Sets the program's action for a signal, like sigaction. If the recorder handles the
 * signal, the program sees the default action. */
int rec_set_action(int number, const struct sigaction *action, struct sigaction *old);

#endif
