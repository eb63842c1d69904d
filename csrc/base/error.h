/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One-line error messages.
 *
 * Every function of the core that can fail takes a pointer to the caller's gp_error. On
 * failure it returns false or NULL, and stores a message: what is wrong, and where in the
 * file. The caller knows the file name and prepends it.
 */
#ifndef GP_BASE_ERROR_H
#define GP_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gp_error {
  char text[512];  /* without newline; empty if nothing failed */
} gp_error;

/* Replaces control characters, including NUL, with question marks: a line of output may
 * quote arbitrary bytes of a file. */
void gp_mask_control(char *text, size_t length);

/* Formats the message into `error`. Always returns false, for `return gp_fail(...)`. */
bool gp_fail(gp_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports a failed allocation. Always returns false, which static analyzers see here. */
static inline bool gp_fail_memory(gp_error *error) {
  gp_fail(error, "not enough memory");
  return false;
}

#endif
