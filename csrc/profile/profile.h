/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile: everything that is computed from an image and data, under one set of
 * options.
 */
#ifndef GP_PROFILE_PROFILE_H
#define GP_PROFILE_PROFILE_H

#include <math.h>

#include "profile/block_counts.h"
#include "profile/bounds/time_bounds.h"
#include "profile/callgraph.h"
#include "profile/code/counted_code.h"
#include "profile/measured.h"
#include "profile/order.h"
#include "profile/propagate.h"
#include "profile/samples.h"
#include "profile/unattributed.h"

typedef struct gp_profile {
  const gp_image *image;
  const gp_symtab *symtab;
  gp_samples samples;
  gp_callgraph graph;
  gp_block_counts blocks;
  gp_counted_code code;            /* empty unless requested */
  gp_unattributed unattributed;
  gp_time_bounds bounds;           /* empty unless requested */
  gp_time_bounds limits;           /* empty until gp_profile_find_limits */
  gp_stacks stacks;                /* empty unless the times are measured */
  double ticks_per_sample;         /* the mean; 1 unless call paths were recorded */
  double coverage;                 /* the part of the recorded processor time for which
                                      samples stand; 1 unless much of it is missing */
  double cpu;                      /* recorded processor time in seconds; 0: unknown */
  double recorder;                 /* the part of all samples in the recorder's code */
  uint32_t clocks;                 /* what sampled: flags of gp_call_paths */
  double path_share;               /* share of samples on known stacks, or -1 */
  bool has_paths;                  /* the data has call paths, maybe not all */
  bool measured;                   /* the time of arcs is measured (see measured.h) */
  gp_selections selections;        /* these also exclude the machinery (see below) */
  size_t arcs_read, arcs_matched;  /* arcs in the data; arcs between known functions */
} gp_profile;

/* The machinery: names of the functions that record calls, such as mcount, and are not
 * part of the profiled program. Ends with NULL. */
extern const char *const gp_machinery[];

typedef struct gp_profile_options {
  gp_selections *selections;  /* gp_profile_build takes the contents, even on failure */
  const gp_opcodes *opcodes;  /* required by the options below; else may be NULL */
  bool estimated;             /* divide time in proportion to calls, even if it was
                                 measured */
  bool static_calls;          /* also find calls in the machine code */
  bool idle_blocks;           /* find blocks that never ran; ignored if the table is not
                                 by line */
  bool time_bounds;           /* compute bounds of inclusive times; the table must be by
                                 function, and of one image */
} gp_profile_options;

/* Builds a profile. The image and symbol table must outlive the profile; the data need
 * not. Returns NULL after an error. */
gp_profile *gp_profile_build(const gp_image *image, const gp_symtab *symtab,
                             const gp_data *data, const gp_profile_options *options,
                             gp_error *error);

/* Finds the bounds `limits` of inclusive times, unless they are known: with the machine
 * code, if `opcodes` is not NULL and code and data permit it, otherwise from the recorded
 * calls alone. Errors: as for gp_time_bounds_find. */
bool gp_profile_find_limits(gp_profile *profile, const gp_data *data,
                            const gp_opcodes *opcodes, gp_error *error);

void gp_profile_free(gp_profile *profile);

/* Converts ticks to the profile's unit, usually seconds, or to 0 without a histogram. */
static inline double gp_profile_seconds(const gp_profile *profile, double ticks) {
  double rate = profile->samples.rate;
  return rate != 0 ? ticks / rate : 0;
}

/* Returns the standard error of a sampled time, in the profile's unit, or 0 without a
 * histogram. The error of n ticks is the square root of n (manual of GNU gprof,
 * "Statistical Sampling Error"), but at least one tick: a function that should get one
 * sample gets none with the probability 1/e, which is more than a third. Ticks can be
 * fractions, because functions share bins. The formula also holds for fractions: a sample
 * of a bin belongs to a function with a probability equal to the function's share of the
 * bin. If a sample has w ticks on average, n ticks are n/w samples, so the error is w
 * times the square root of n/w. If samples are missing, this function may have its share
 * of the missing time; the two errors are independent. */
static inline double gp_profile_error(const gp_profile *profile, double ticks) {
  double weight = profile->ticks_per_sample, samples = ticks / weight;
  double sampling = weight * sqrt(samples > 1 ? samples : 1);
  double missing = ticks / profile->coverage - ticks;
  return gp_profile_seconds(profile, sqrt(sampling * sampling + missing * missing));
}

#endif
