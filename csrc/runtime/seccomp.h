/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that confine themselves (seccomp). A filter may end the program at a system
 * call of the recorder. A child process tries first what the recorder does. If it does
 * not survive, the profile is written before the program is confined, and recording ends.
 */
#ifndef GPROF_RUNTIME_SECCOMP_H
#define GPROF_RUNTIME_SECCOMP_H

#include "runtime/visibility.h"

/* Makes a system call that executes a program, or confines or ends this one, for
 * syscall() in system_calls_*.S. Returns what syscall() returns, and sets errno. */
HIDDEN long rec_system_call(long number, long a, long b, long c, long d, long e);

/* Sets errno from the negative result of any other system call. Returns -1. */
HIDDEN long rec_failed_call(long error);

#endif
