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
  GP_PATH_CHOSEN,        /* by the user: links are followed */
  GP_PATH_CONFINED,      /* by the user, for untrusted contents: a link is an error. The
                            process's own descriptors, such as /dev/stdout, are allowed */
  GP_PATH_DEFAULT,       /* a fixed name: a link, or a file that is not regular, is an
                            error, since anybody could have put it there */
  GP_PATH_DERIVED        /* from untrusted input: like a default name, but a link is
                            replaced */
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
                            next file that is closed with it has its name; NULL: none */
  size_t used;           /* bytes in the window */
  unsigned char *window;
  gp_error *error;       /* receives write errors */
} gp_writer;

/* Opens `path` for writing; "-" is standard output. An existing file keeps its
 * permissions and, where the process may set it, its owner. A new file gets the default
 * permissions. `error` must outlive the writer: later writes also report to it. */
bool gp_writer_open(gp_writer *writer, const char *path, gp_writer_path kind,
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

/* Files that are closed with another one. */
typedef struct gp_writer_others {
  struct gp_writer *before, *after;  /* replace their targets before and after it; NULL:
                                        none */
  const char *outdated;  /* a file that belonged to the old file: removed once the new
                            one is in its place. NULL: none */
} gp_writer_others;

/* Like gp_writer_close, for several writers. The new files replace their targets once all
 * are complete; after a write error, or if one target cannot be replaced, all are
 * discarded (see gp_new_files_name). Nothing is removed if the target is not a file. */
bool gp_writer_close_all(gp_writer *writer, gp_writer_others others, bool written);

/* Opens a writer for a file that is closed before another one, and has the name `path`
 * only until that one has its name. Then it is renamed to `last_name`. Both names are
 * derived from that of the other file. */
bool gp_writer_open_renamed(gp_writer *writer, const char *path, const char *last_name,
                            gp_error *error);

#endif
