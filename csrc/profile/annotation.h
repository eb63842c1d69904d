/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls, block counts and time of source lines.
 *
 * For each line, counts the calls of functions that begin on it. A profile by line also
 * gives the executions of the line's basic blocks and the time spent in its code. Only
 * functions and lines selected for annotation are included. Sums saturate at INT64_MAX.
 */
#ifndef GP_PROFILE_ANNOTATION_H
#define GP_PROFILE_ANNOTATION_H

#include "profile/profile.h"
#include "symbols/symbol_source.h"

/* Sums over the selected functions and lines of a file: their number, their calls, and
 * the executions of their blocks. */
typedef struct gp_file_sums {
  size_t symbols;
  uint64_t calls, blocks;
} gp_file_sums;

gp_file_sums gp_annotation_sums(const gp_profile *profile,
                                const gp_symbol_sources *sources, uint32_t file);

enum {
  GP_LINE_ENTRY = 1,      /* a function begins on the line */
  GP_LINE_CALLS = 2,      /* the calls of that function are known */
  GP_LINE_BLOCKS = 4,     /* basic blocks begin on the line */
  GP_LINE_CONTINUES = 8,  /* the line's code continues the preceding block; unset if
                             `continued` has the count of that block */
};

/* Whether a symbol is selected, and its lines have code. Cold parts are never selected,
 * only the functions that own them. Nothing counts executions of inlined functions, and
 * no code begins on their lines. */
bool gp_annotation_selects(const gp_profile *profile, uint32_t symbol);

/* The lines that have code, sorted by number, in columns. */
typedef struct gp_annotation {
  size_t count;
  uint32_t *line;
  uint8_t *flags;
  uint64_t *calls;        /* calls of functions that begin on the line */
  uint64_t *blocks;       /* executions of all blocks of the line */
  double *seconds;
  size_t *first;          /* for each line: its first row in `counts`. One more element
                             has the end of the last line's rows */
  uint64_t *counts;       /* numbers of calls and of executions of blocks, by address */
  bool *continued;        /* for each count: whether the counter of this code is on
                             another line, or missing */
} gp_annotation;

/* Collects the lines of a file. The calls of a function are unknown if none was recorded
 * although it was executed: `main` is called before recording starts, and other functions
 * may be called by code compiled without -pg. Without the policy whole_lines, only the
 * first code of each line is counted, except that `calls` are all calls; their sums wrap.
 * False if there is no memory. */
bool gp_annotation_collect(gp_annotation *annotation, const gp_profile *profile,
                           const gp_symbol_sources *sources, uint32_t file,
                           const gp_policy *policy);
void gp_annotation_free(gp_annotation *annotation);

#endif
