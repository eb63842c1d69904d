/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the lines of a source file.
 *
 * A line of source has what was counted and sampled of the code that comes from it: the
 * calls of functions that begin there, and, in a profile by line, how often each basic
 * block was executed and how much time was spent. Only functions and lines count that are
 * selected for annotation. Sums that are too large are the largest number that there is.
 */
#ifndef GP_PROFILE_ANNOTATION_H
#define GP_PROFILE_ANNOTATION_H

#include "profile/profile.h"
#include "symbols/symbol_source.h"

/* What there is of a file: how many functions and lines, and the sums of their calls and
 * of the executions of their blocks. */
typedef struct gp_file_sums {
  size_t symbols;
  uint64_t calls, blocks;
} gp_file_sums;

gp_file_sums gp_annotation_sums(const gp_profile *profile,
                                const gp_symbol_sources *sources, uint32_t file);

enum {
  GP_LINE_ENTRY = 1,      /* a function begins on the line */
  GP_LINE_CALLS = 2,      /* its calls are known */
  GP_LINE_BLOCKS = 4,     /* blocks begin there */
  GP_LINE_CONTINUES = 8,  /* its code begins in the block that came before it */
};

/* Columns over the lines that there is code for, by number. */
typedef struct gp_annotation {
  const gp_policy *policy;
  size_t count;
  uint32_t *line;
  uint8_t *flags;
  uint64_t *calls;        /* of functions that begin there */
  uint64_t *blocks;       /* executions of all blocks */
  double *seconds;
  size_t *first;          /* its first count; one more than lines */
  uint64_t *counts;       /* of calls and of blocks, by address */
} gp_annotation;

/* Collects them. The calls of a function are not known if none was seen but something of
 * the function was executed: `main` is called before anything is recorded, others by code
 * without -pg. Unless the policy is whole_lines, the first code of a line hides the rest,
 * except that all calls count for the busiest lines. False if there is no memory. */
bool gp_annotation_collect(gp_annotation *annotation, const gp_profile *profile,
                           const gp_symbol_sources *sources, uint32_t file,
                           const gp_policy *policy);
void gp_annotation_free(gp_annotation *annotation);

/* How often a line was executed, as far as one number can say it: the sum of its blocks'
 * executions, or else its calls; always these without whole_lines. 0 if unknown. */
uint64_t gp_annotation_executions(const gp_annotation *annotation, uint32_t line);

/* The lines that were executed, the most often first; equal ones by number. NULL if there
 * is no memory. */
uint32_t *gp_annotation_busiest(const gp_annotation *annotation, size_t *count);

#endif
