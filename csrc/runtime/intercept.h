/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library that the recorder replaces, to hide its signals from the
 * program, and to write the profile however the program ends.
 */
#ifndef GPROF_RUNTIME_INTERCEPT_H
#define GPROF_RUNTIME_INTERCEPT_H

#include <signal.h>

/* The C library's own sigaction. */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

/* Writes the profile before SIGABRT ends the program. */
void rec_catch_abort(void);

#endif
