/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tar archives from a stream, member by member.
 *
 * The formats are those of POSIX (ustar, pax), GNU tar and the seventh edition of Unix.
 * Archives may follow each other. Only regular files are members; directories, links and
 * devices are skipped. Names may have any length up to GP_TAR_HEADER_MAX. The sizes that
 * an archive claims never determine how much memory is used.
 *
 * All archives that users see are tar archives: profiles of `--profiles-from=tar:`, and
 * checkpoints, which lua/gprof/cli/sum/checkpoint writes. Only the files of a sandboxed
 * process have another format: see lua/gprof/library/files/spool_archive.
 */
#ifndef GP_BASE_TAR_H
#define GP_BASE_TAR_H

#include "base/reader.h"

/* The largest extended header in bytes: a long name, or the records of pax. */
#define GP_TAR_HEADER_MAX ((size_t)1 << 20)

/* Streams may be endless. The most extended headers of a member, blocks of a sparse
 * member's map, and zero blocks after the last member. */
enum {
  GP_TAR_EXTENDED_MAX = 64,
  GP_TAR_MAP_MAX = 1 << 16,
  GP_TAR_ZEROS_MAX = 1 << 19
};

typedef struct gp_tar_text {
  char *bytes;            /* allocated; ends in a zero byte if it is a name */
  size_t size, capacity;
} gp_tar_text;

typedef struct gp_tar {
  gp_reader *reader;      /* of the archive; it receives errors of the archive */
  gp_tar_text name;       /* of the current member */
  uint64_t size;          /* of the current member, in bytes */
  const char *problem;    /* why the current member cannot be read; NULL: it can */
  uint64_t left;          /* unread bytes of the member */
  unsigned padding;       /* bytes between the member and the next header */
  bool begun;             /* a header was read */
  bool ended;             /* no header follows */
  unsigned zeros;         /* zero blocks, which are end marks, since the last header */
  gp_tar_text extended;   /* the extended header that was read last */
  bool held;              /* the member is in memory */
  gp_tar_text memory;
  size_t position;        /* of the reader of a held member */
} gp_tar;

typedef enum gp_tar_state { GP_TAR_MEMBER, GP_TAR_END, GP_TAR_FAILED } gp_tar_state;

/* Starts to read an archive. The reader must stay open. */
void gp_tar_init(gp_tar *tar, gp_reader *reader);
void gp_tar_free(gp_tar *tar);

/* Goes to the next member. Skips what was not read of the current one. After GP_TAR_END,
 * the whole input was read. Errors: a damaged or incomplete archive. */
gp_tar_state gp_tar_next(gp_tar *tar);

/* Returns up to `wanted` bytes at the start of the member, of which nothing was read, and
 * sets *size to their number. They are valid until the next call. */
const unsigned char *gp_tar_peek(gp_tar *tar, size_t wanted, size_t *size);

/* Reads the member into memory, so that it can be opened several times. Does nothing if
 * it is there. */
bool gp_tar_hold(gp_tar *tar, gp_error *error);

/* Opens a reader of the member, which must be closed before the next member. A member
 * that is not held can be opened once. */
bool gp_tar_open(gp_tar *tar, gp_reader *reader, gp_error *error);

#endif
