/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What went wrong, in one line.
 *
 * Every function of the core that can fail takes a gp_error of its caller's,
 * returns false (or NULL), and leaves a line here: what is wrong and where in
 * the file. The name of the file is not part of it: the caller knows it, and
 * puts it in front.
 */
#ifndef GP_BASE_ERROR_H
#define GP_BASE_ERROR_H

#include <stdbool.h>

typedef struct gp_error {
  char text[512];  /* without newline; empty as long as nothing failed */
} gp_error;

/* Formats the message into `error`. Returns false, so that a caller can say
 * `return gp_fail(error, ...)`. */
bool gp_fail(gp_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for memory that could not be had. */
bool gp_fail_memory(gp_error *error);

#endif
