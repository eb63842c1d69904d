/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of the recorder that programs and the C library's start files call. The
 * hooks that compilers call are in entry_*.S.
 */
#ifndef GPROF_RUNTIME_RECORDER_H
#define GPROF_RUNTIME_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/visibility.h"

/* In a program compiled with -pg, glibc calls __monstartup at the start, with the ends of
 * the program's code. At exit it calls _mcleanup, which writes the profile. */
EXPORTED void __monstartup(size_t low, size_t high);
EXPORTED void monstartup(size_t low, size_t high);
EXPORTED void _mcleanup(void);

/* Pauses recording if `on` is 0; otherwise resumes it. */
EXPORTED void moncontrol(int on);

/* For a library that adds up the profiles of several processes (see csrc/mpi). */

/* Sets the prefix of the names of files, PREFIX.PROCESS, unless the user has chosen
 * another name. */
EXPORTED void gprof_recorder_name(const char *prefix);

/* Pauses recording, and writes the present profile to two open files: gmon.out and the
 * context profile. Returns 0; ENODATA if nothing is recorded in this process; or another
 * errno. Until gprof_recorder_settle, requests for the profile fail (EBUSY), but the
 * profile is written if the program ends. */
EXPORTED int gprof_recorder_suspend(int gmon, int contexts);

/* If `drop` is true, a new profile begins, without the counts that gprof_recorder_suspend
 * has written. At its end, it is not written if it has no calls, and samples of less than
 * a tenth of a second. */
EXPORTED void gprof_recorder_settle(bool drop);

/* Resumes recording, unless it was paused before gprof_recorder_suspend. */
EXPORTED void gprof_recorder_resume(void);

/* Registers a stack that the program has made for its coroutines. The call paths of
 * coroutines on other stacks begin at an unknown stack. */
EXPORTED void gprof_stack(void *low, void *high);

#endif
