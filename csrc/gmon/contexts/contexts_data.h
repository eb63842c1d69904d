/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes profile data of a sum of context profiles: of several modules, and of all threads
 * or some.
 *
 * Each module is moved to its own range of addresses (see profile/merged_objects.h).
 */
#ifndef GP_GMON_CONTEXTS_CONTEXTS_DATA_H
#define GP_GMON_CONTEXTS_CONTEXTS_DATA_H

#include "gmon/contexts/contexts.h"

/* What becomes of a module. */
typedef struct gp_contexts_object {
  bool included;        /* otherwise, its samples and the calls of its functions are left
                           out */
  uint64_t slide;       /* number added to its link-time addresses */
  uint64_t image_size;  /* size of its file in bytes, if known: limits the memory for its
                           histogram. 0: its histogram has one bin */
} gp_contexts_object;

typedef struct gp_contexts_view {
  const gp_contexts_object *modules;    /* by row of the module */
  bool outside;         /* addresses outside all modules are included, as `address` */
  uint64_t address;
  const bool *tables;   /* by row of the table: whether it is included; NULL: all are */
} gp_contexts_view;

/* The records of a module or a table. */
typedef struct gp_contexts_amount {
  uint64_t ticks, calls;
} gp_contexts_amount;

/* Counts the records of each module, and outside all modules in one more item of
 * `modules`; and those of each table, except records of modules with `skipped`. All must
 * be 0 before. Calls belong to the module of the callee. Fails if there is no memory. */
bool gp_contexts_count(const gp_contexts *sum, const bool *skipped,
                       gp_contexts_amount *modules, gp_contexts_amount *tables,
                       gp_error *error);

/* Adds calls, samples and call paths to data with `mixed_scales`. The caller of the first
 * function on a stack is unknown, if it is in another module. Errors: a module claims
 * more code than its file has; addresses or counts are too large; no memory. */
bool gp_contexts_get(const gp_contexts *sum, const gp_contexts_view *view, gp_data *data,
                     gp_error *error);

#endif
