/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that confine themselves (seccomp). A filter may end the program at a system
 * call of the recorder. A child process tries first what the recorder does. If it does
 * not survive, the profile is written before the program is confined, and recording ends.
 */
#ifndef GPROF_RUNTIME_SECCOMP_H
#define GPROF_RUNTIME_SECCOMP_H

/* A system call that the program makes with syscall(): one that executes a program or
 * confines this one. Returns its result or a negative errno. */
long rec_special_call(long number, long a, long b, long c, long d, long e);

#endif
