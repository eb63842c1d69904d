/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds the records of a table of call paths to a sum: calls, samples and their paths.
 *
 * A record is identified by its number in the table. It is in the context that another
 * record, with a lower number, stands for. Calls to code outside the sum are left out;
 * what they call and sample is then in the context of their caller.
 */
#ifndef GP_GMON_CONTEXTS_PATH_SUM_H
#define GP_GMON_CONTEXTS_PATH_SUM_H

#include "gmon/gmon.h"

/* Code may be larger than the image's file by at most this many bytes: segments may be
 * aligned to 2 MB, and one without code may be in between. The limit is needed because
 * the claimed range of the code alone determines how much memory the bins take. */
#define GP_MORE_CODE (UINT64_C(1) << 22)

typedef struct gp_path_sum {
  gp_data *data;
  size_t known, room;
  uint32_t *context;    /* for the first `known` records of the table: the context in
                           data->paths that a record stands for */
} gp_path_sum;

/* A record. Addresses are those of the sum. */
typedef struct gp_path_record {
  uint32_t number, context;
  uint64_t from;        /* of a call: the caller's address, or gp_unknown_caller */
  uint64_t self;        /* of a call: the callee; of a sample: the sampled address */
  uint64_t count;
  bool inside;          /* `self` is in the sum */
  bool on_unknown_stack;  /* of a sample */
  bool enters;          /* of a call: it stands for the context of its callee */
  gp_histogram *samples;    /* of a sample inside: the histogram for it */
} gp_path_record;

/* Adds an empty histogram for samples in a range. The range is rounded to multiples of
 * the bin size, 4 bytes; with `single`, the histogram has one bin. `rate` is 0 if no
 * samples were taken; `is_wall` is whether they are of wall-clock time. Errors: the range
 * is empty or too large; the rate differs; no memory. */
bool gp_path_sum_add_histogram(gp_path_sum *s, gp_range range, bool single, uint32_t rate,
                               bool is_wall, gp_error *error);

/* Begins a table. Contexts of several tables with the same paths are joined. */
void gp_path_sum_begin(gp_path_sum *s);

/* Adds a call or a sample, whose ticks also count as those of signals. Errors: no memory;
 * a count overflows. */
bool gp_path_sum_add_call(gp_path_sum *s, const gp_path_record *record, gp_error *error);
bool gp_path_sum_add_sample(gp_path_sum *s, const gp_path_record *record,
                            gp_error *error);

void gp_path_sum_free(gp_path_sum *s);

#endif
