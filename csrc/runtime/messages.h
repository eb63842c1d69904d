/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of the recorder. The program may have closed standard error, and descriptor 2
 * may now be another file of the program.
 */
#ifndef GPROF_RUNTIME_MESSAGES_H
#define GPROF_RUNTIME_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Remembers which file is standard error. */
void rec_start_messages(void);

/* Whether descriptor 2 is still the file that rec_start_messages found. Uses no
 * thread-local storage. */
bool rec_may_complain(void);

/* Writes a line of this length in one piece. Replaces control characters by question
 * marks, since a name must not begin a line of a log, and the byte after the text by a
 * newline. */
void rec_complain(char *line, size_t length);

#endif
