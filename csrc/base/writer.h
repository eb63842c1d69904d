/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file that is written as a whole or not at all.
 *
 * A new file grows beside the one of that name and takes its place when it is complete:
 * until then, and after any failure, the old one is there as it was. It may be read in
 * the meantime. What is no regular file - a device, a pipe - is written to as it is.
 * Whoever wants to end the process meanwhile waits: nothing half done is left behind, but
 * by a signal that cannot wait (SIGKILL).
 */
#ifndef GP_BASE_WRITER_H
#define GP_BASE_WRITER_H

#include <signal.h>
#include <stddef.h>

#include "base/error.h"

/* The most that can be written in one piece, in bytes. */
#define GP_WRITER_WINDOW ((size_t)65536)

typedef struct gp_writer {
  int file;              /* descriptor */
  char *target;          /* what is to be replaced; NULL if it is written to itself */
  char *growing;         /* the new file beside it */
  sigset_t held;         /* signals that wait until it is there, or is not */
  size_t used;           /* bytes in the window */
  unsigned char *window;
  gp_error *error;       /* where write errors are reported */
} gp_writer;

/* Begins to write a file; "-" is standard output. A link is followed, and stays. A new
 * file has the permissions that the process gives to new files, others keep theirs.
 * The error is kept for later writes. */
bool gp_writer_open(gp_writer *writer, const char *path, gp_error *error);

/* The same for a name that nobody has chosen who may be trusted: it takes the place of a
 * link, wherever that leads, and what else is no regular file is refused. */
bool gp_writer_open_here(gp_writer *writer, const char *path, gp_error *error);

/* Begins to write to a file that is open, from where it stands. */
bool gp_writer_share(gp_writer *writer, int file, gp_error *error);

/* Room for the next `count` bytes (at most GP_WRITER_WINDOW), all of which the caller
 * fills before the next call; NULL after a write error. */
unsigned char *gp_writer_room(gp_writer *writer, size_t count);

/* Ends it. If all was `written`, the new file takes its place; false if it cannot. If
 * not, there never was one. */
bool gp_writer_close(gp_writer *writer, bool written);

#endif
