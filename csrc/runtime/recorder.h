/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interface of the recorder for the program, and for the C library's start files.
 * calls.c has the hooks that compilers call.
 */
#ifndef GPROF_RUNTIME_RECORDER_H
#define GPROF_RUNTIME_RECORDER_H

#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

/* What glibc calls at the start of a program compiled with -pg, with the ends of its
 * code; and what it calls at exit, which writes the profile. */
EXPORTED void __monstartup(size_t low, size_t high);
EXPORTED void monstartup(size_t low, size_t high);
EXPORTED void _mcleanup(void);

/* Stops recording (0), or continues it. */
EXPORTED void moncontrol(int on);

/* Registers a stack that the program has made for its coroutines. Without this, their
 * call paths begin at an unknown stack. */
EXPORTED void gprof_stack(void *low, void *high);

#endif
