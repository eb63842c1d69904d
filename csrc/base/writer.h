/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes files atomically.
 *
 * The data is written to a temporary file in the same directory. When complete, this file
 * replaces the old one. Until then, and after any failure, the old file is unchanged.
 * Devices and pipes are written to directly. While the temporary file exists, signals
 * that would terminate the process are blocked, so that the file is not left over.
 * SIGKILL cannot be blocked.
 */
#ifndef GP_BASE_WRITER_H
#define GP_BASE_WRITER_H

#include <signal.h>
#include <stddef.h>

#include "base/error.h"

/* Size of the buffer in bytes: the most that one call of gp_writer_room provides. */
#define GP_WRITER_WINDOW ((size_t)65536)

typedef struct gp_writer {
  int file;              /* descriptor */
  char *target;          /* path of the file to replace; NULL: `file` is the target */
  char *temporary;       /* path of the temporary file, or NULL */
  sigset_t blocked;      /* signals that are blocked until the writer is closed */
  size_t used;           /* bytes in the window */
  unsigned char *window;
  gp_error *error;       /* receives write errors */
} gp_writer;

/* Opens `path` for writing; "-" is standard output. Follows symbolic links. An existing
 * file keeps its permissions and, where the process may set it, its owner. A new file
 * gets the default permissions. `error` must outlive the writer: later writes also report
 * to it. */
bool gp_writer_open(gp_writer *writer, const char *path, gp_error *error);

/* Like gp_writer_open, but for an untrusted path: replaces a symbolic link instead of
 * following it, and fails for an existing file that is not a regular one. */
bool gp_writer_open_here(gp_writer *writer, const char *path, gp_error *error);

/* Like gp_writer_open, but writes to the open descriptor `file`, from its current
 * position. The descriptor stays open. */
bool gp_writer_share(gp_writer *writer, int file, gp_error *error);

/* Returns a buffer for the next `count` bytes (at most GP_WRITER_WINDOW). The caller
 * fills all of them before the next call. NULL after a write error. */
unsigned char *gp_writer_room(gp_writer *writer, size_t count);

/* Closes the writer. If `written`, the temporary file replaces the target; otherwise it
 * is deleted. Returns whether everything was written and replaced. */
bool gp_writer_close(gp_writer *writer, bool written);

#endif
