/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls and samples of each call path of a Lua program.
 *
 * A call path is a context: the root, or the record of the call that entered it.
 * Recursion is folded: a function that is already on the path runs in its context
 * there.
 */
#ifndef GPROF_SCRIPTS_CALL_PATHS_H
#define GPROF_SCRIPTS_CALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCR_NONE UINT32_MAX

/* The contexts that are not records of calls: the start of a path, and the context
 * of what is recorded after the limit of memory is reached. */
enum { SCR_START, SCR_UNKNOWN, SCR_JOINED, SCR_ROOTS };

typedef struct scr_record {
  uint32_t context;   /* of the calling function, or of the sampled one */
  uint32_t entered;   /* the context of the callee: this record or a lower one */
  uint32_t function;  /* the callee; SCR_NONE in the record of a sample */
  uint32_t line;      /* of the call, or of the sample; 0 if it is not known */
  uint64_t count;     /* of calls, or of ticks */
} scr_record;

typedef struct scr_paths {
  scr_record *records;
  size_t count, capacity;
  uint32_t *slots;    /* a hash table of row numbers plus 1; 0: free */
  size_t slot_count;  /* a power of two */
  size_t most;        /* records; further paths are joined */
  bool joined;
} scr_paths;

/* Initializes with the roots; false if there is no memory. */
bool scr_paths_init(scr_paths *paths, size_t most);
void scr_paths_free(scr_paths *paths);

/* Returns the row of a call, or of the samples of a line (function SCR_NONE), which
 * is added with a count of 0 if it is new. Rows beyond the limit are joined into
 * SCR_JOINED: a row for each function and line. SCR_NONE if there is no memory. */
uint32_t scr_paths_row(scr_paths *paths, uint32_t context, uint32_t function,
                       uint32_t line);

#endif
