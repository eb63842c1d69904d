/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of the recorder that programs and the C library's start files call. The
 * hooks that compilers call are in entry_*.S.
 */
#ifndef GPROF_RUNTIME_RECORDER_H
#define GPROF_RUNTIME_RECORDER_H

#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

/* In a program compiled with -pg, glibc calls __monstartup at the start, with the ends of
 * the program's code. At exit it calls _mcleanup, which writes the profile. */
EXPORTED void __monstartup(size_t low, size_t high);
EXPORTED void monstartup(size_t low, size_t high);
EXPORTED void _mcleanup(void);

/* Pauses recording if `on` is 0; otherwise resumes it. */
EXPORTED void moncontrol(int on);

/* Registers a stack that the program has made for its coroutines. The call paths of
 * coroutines on other stacks begin at an unknown stack. */
EXPORTED void gprof_stack(void *low, void *high);

#endif
