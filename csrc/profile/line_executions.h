/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often source lines were executed, by the counts of basic blocks.
 *
 * A line of a header, of a template or of an inlined function is compiled into several
 * functions, or several times into one. Each of these copies has the largest count of its
 * blocks, of calls if a function begins there, and of code that continues a block. The
 * line was executed as often as all copies together, as in gcov. Sums saturate at
 * INT64_MAX.
 */
#ifndef GP_PROFILE_LINE_EXECUTIONS_H
#define GP_PROFILE_LINE_EXECUTIONS_H

#include "profile/profile.h"
#include "symbols/symbol_source.h"

typedef struct gp_executed_line {
  uint32_t line;
  uint64_t executions;
} gp_executed_line;

/* Returns the lines with code of a file (free() them), in ascending order, and their
 * number. Only functions and lines that are selected for annotation count. The profile is
 * by line; copies in one function can be told apart if it has the chains of inlined
 * functions. NULL if there is no memory. */
gp_executed_line *gp_line_executions(const gp_profile *profile,
                                     const gp_symbol_sources *sources, uint32_t file,
                                     size_t *count);

#endif
