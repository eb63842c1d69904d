/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the targets share: inputs in parts, files without a disk, and what must hold.
 *
 * An input consists of parts: the length of each in two bytes, low one first, and so many
 * bytes; the last one is all the rest. A length beyond the end means what is left. The
 * mutator goes by that: it changes one part and leaves the others where they are.
 */
#ifndef FUZZ_SUPPORT_H
#define FUZZ_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Bytes of an input, which end where they end: a sanitizer sees who reads on. */
typedef struct fuzz_part {
  const uint8_t *bytes;
  size_t size;
} fuzz_part;

/* Takes an input apart into so many parts; those that are not there are empty. */
void fuzz_parts(const uint8_t *data, size_t size, fuzz_part *parts, size_t count);

/* How many parts the target's inputs have: the target says so, and all of them are less
 * than FUZZ_MOST_PARTS. */
enum { FUZZ_MOST_PARTS = 8 };
extern const size_t fuzz_part_count;

/* The byte of a part, 0 beyond its end: for the part that holds the choices. */
static inline uint8_t fuzz_byte(fuzz_part part, size_t place) {
  return place < part.size ? part.bytes[place] : 0;
}

/* A file of these bytes, which lies in memory; `number` tells those apart that are wanted
 * at once (0 or 1). It stands open at its beginning until the next of that number. */
typedef struct fuzz_file {
  int file;          /* descriptor */
  const char *path;  /* by which it can be opened */
} fuzz_file;
fuzz_file fuzz_make_file(fuzz_part part, unsigned number);

/* Has standard output written into a file in memory from here on, and stands at its
 * beginning: what is there is as long as it has been written. The descriptor is
 * STDOUT_FILENO. libFuzzer writes to standard error. */
fuzz_file fuzz_catch_output(void);

/* What read() returns at most from here on, in bytes; 0 for no limit. */
extern size_t fuzz_piece;

/* Ends the process, with the place, unless it holds. */
#define FUZZ_HOLDS(condition) \
  ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_broken(const char *file, int line, const char *condition);

/* What holds for whatever can fail: a failure leaves one line, and success none. Begins
 * the next with an empty one. */
void fuzz_check_error(bool done, gp_error *error);

#endif
