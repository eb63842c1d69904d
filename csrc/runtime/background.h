/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread of the recorder, which exists only if an option needs it. It samples threads
 * that wait (see waiting.h), and watches the file of the option `dump-file`.
 *
 * The thread is not one of the C library's. It has no signals. Its descriptors and its
 * directory are its own, so the program can neither use nor close them.
 */
#ifndef GPROF_RUNTIME_BACKGROUND_H
#define GPROF_RUNTIME_BACKGROUND_H

#include <stdbool.h>

/* Sets the file; false if its name is empty or too long. */
bool rec_set_dump_file(const char *name);

/* Starts the thread if it is needed: at the start, and in forked children. */
void rec_start_background(void);

#endif
