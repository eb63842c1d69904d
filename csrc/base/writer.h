/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes files atomically.
 *
 * The data is written to a new file, which replaces the old one when it is complete (see
 * new_file.h). Until then, and after any failure, the old file is unchanged. Devices,
 * pipes and messages are written to directly.
 */
#ifndef GP_BASE_WRITER_H
#define GP_BASE_WRITER_H

#include <stddef.h>

#include "base/error.h"

/* Size of the buffer in bytes: the most that one call of gp_writer_room provides. */
#define GP_WRITER_WINDOW ((size_t)65536)

/* Who chose a path. This decides what the last component of the path may be. */
typedef enum gp_writer_path {
  GP_PATH_CHOSEN,        /* the user: links are followed, and devices written to */
  GP_PATH_CONFINED,      /* the user, for untrusted contents: a link is an error. The
                            process's own descriptors, such as /dev/stdout, are allowed */
  GP_PATH_DERIVED        /* the program, as for a default name or one beside another
                            file: a link, or a file that is not regular, is an error,
                            since anybody could have put it there */
} gp_writer_path;

/* Where bytes go, if not to a descriptor. Takes all of them; false after an error, with a
 * message. */
typedef bool gp_writer_sink(void *into, const unsigned char *bytes, size_t size,
                            gp_error *error);

typedef struct gp_writer {
  int file;              /* descriptor; -1: bytes go to `sink` */
  gp_writer_sink *sink;
  void *into;            /* first argument of `sink` */
  char *target;          /* path of the file to replace; NULL: `file` is the target */
  bool is_first;         /* no file may exist at the target */
  char *last_name;       /* the name that the file gets in place of `target`, when the
                            files that are closed with it have their names; NULL: none */
  size_t used;           /* bytes in the window */
  unsigned char *window;
  gp_error *error;       /* receives write errors */
} gp_writer;

/* Opens `path` for writing; "-" is standard output. An existing file keeps its
 * permissions and, where the process may set it, its owner. A new file gets the default
 * permissions. `error` must outlive the writer: later writes also report to it. */
bool gp_writer_open(gp_writer *writer, const char *path, gp_writer_path kind,
                    gp_error *error);

/* Like gp_writer_open, for a profile: the old file may only be empty, or a profile. */
bool gp_writer_open_profile(gp_writer *writer, const char *path, gp_writer_path kind,
                            gp_error *error);

/* Like gp_writer_open, but writes to the open descriptor `file`, from its current
 * position. The descriptor stays open. */
bool gp_writer_share(gp_writer *writer, int file, gp_error *error);

/* Like gp_writer_open, but writes to `sink`. */
bool gp_writer_send(gp_writer *writer, gp_writer_sink *sink, void *into,
                    gp_error *error);

/* Returns a buffer for the next `count` bytes (at most GP_WRITER_WINDOW). The caller
 * fills all of them before the next call. NULL after a write error. */
unsigned char *gp_writer_room(gp_writer *writer, size_t count);

/* Closes the writer. If `written`, the new file replaces the target; otherwise it is
 * discarded. Returns whether everything was written and replaced. */
bool gp_writer_close(gp_writer *writer, bool written);

/* One of several files that belong together. */
typedef struct gp_file_change {
  gp_writer *writer;     /* a new file; NULL: an old one is removed */
  const char *removed;   /* its path. It may be missing */
} gp_file_change;

/* Like gp_writer_close, for several writers. Once all files are complete, they are
 * replaced and removed in this order: all of them or, after a failure, none. Nothing is
 * removed if no target is a file. */
bool gp_writers_close(const gp_file_change *changes, size_t count, bool written);

/* Like gp_writer_open, for a derived path whose old file may only be empty, or begin with
 * `magic`. */
bool gp_writer_open_companion(gp_writer *writer, const char *path, const char *magic,
                              gp_error *error);

/* Like gp_writer_open_companion, for a file that has the name `path` only until all files
 * that are closed with it have their names. Then it is renamed to `last_name`. */
bool gp_writer_open_renamed(gp_writer *writer, const char *path, const char *last_name,
                            const char *magic, gp_error *error);

#endif
