/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread of the recorder, which exists only if it is needed. It samples threads that
 * wait (see waiting.h), is the clock of threads that have no better one (see
 * clock_thread.c), and watches the file of the option `dump-file`.
 *
 * The thread is not one of the C library's. It has no signals. Its descriptors and its
 * directory are its own, so the program can neither use nor close them.
 */
#ifndef GPROF_RUNTIME_BACKGROUND_H
#define GPROF_RUNTIME_BACKGROUND_H

#include <stdbool.h>

/* Sets the file; false if its name is empty or too long. */
bool rec_set_dump_file(const char *name);

/* Starts the thread if it is needed and does not exist. Returns 0 or an errno. When the
 * program drops privileges, the thread is replaced. */
int rec_start_background(void);

/* Notes that a forked child has no such thread. */
void rec_forget_background(void);

#endif
