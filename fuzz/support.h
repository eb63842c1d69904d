/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Helpers of all targets: inputs in parts, files in memory, and checks.
 *
 * An input consists of parts. A part is stored as its length, in two little-endian bytes,
 * and its bytes. The last part has no length: it is the rest of the input. A length that
 * exceeds the rest of the input is reduced to the size of the rest. The mutator changes
 * one part and keeps the others.
 */
#ifndef FUZZ_SUPPORT_H
#define FUZZ_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Marks functions that sanitizers and libFuzzer do not observe. */
#ifdef __clang__
#define FUZZ_UNOBSERVED __attribute__((no_sanitize("address", "undefined", "coverage")))
#else
#define FUZZ_UNOBSERVED
#endif

/* A part of an input, allocated with its exact size: sanitizers detect reads beyond
 * it. */
typedef struct fuzz_part {
  const uint8_t *bytes;
  size_t size;
} fuzz_part;

/* Splits an input into `count` parts. Missing parts are empty. */
void fuzz_parts(const uint8_t *data, size_t size, fuzz_part *parts, size_t count);

/* The number of parts of the target's inputs, at most FUZZ_MAX_PARTS. Each target defines
 * it. */
enum { FUZZ_MAX_PARTS = 17 };
extern const size_t fuzz_part_count;

/* Returns a byte of a part, usually a choice; 0 beyond the end. */
static inline uint8_t fuzz_byte(fuzz_part part, size_t place) {
  return place < part.size ? part.bytes[place] : 0;
}

/* A file in memory, which is open. */
typedef struct fuzz_file {
  int file;          /* descriptor */
  const char *path;  /* to open it again */
} fuzz_file;

/* Makes a file with the bytes of a part. The file is at offset 0, and open until the next
 * call with the same number, 0 or 1. */
fuzz_file fuzz_make_file(fuzz_part part, unsigned number);

/* Returns a copy of a file, with its checksum in its last four bytes. The copy is valid
 * until the second next call. A shorter file is returned as it is. */
fuzz_part fuzz_with_checksum(fuzz_part file, bool big_endian);

/* Redirects standard output to a file in memory, and empties that file. The descriptor is
 * STDOUT_FILENO. libFuzzer writes to standard error. */
fuzz_file fuzz_catch_output(void);

/* The largest number of bytes that one call of read() returns; 0 for no limit. */
extern size_t fuzz_piece;

/* Aborts with file and line if a condition is false. */
#define FUZZ_HOLDS(condition) \
  ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_broken(const char *file, int line, const char *condition);

/* Checks that a failure has left an error of one line, and that success has left none.
 * Then clears the error. */
void fuzz_check_error(bool done, gp_error *error);

#endif
