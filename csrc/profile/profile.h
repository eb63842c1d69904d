/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile: everything that follows from an image and data under one set of
 * options. The stages one after the other, and what they have in common.
 */
#ifndef GP_PROFILE_PROFILE_H
#define GP_PROFILE_PROFILE_H

#include <math.h>

#include "profile/block_counts.h"
#include "profile/callgraph.h"
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
  gp_unattributed unattributed;
  gp_selections selections;        /* the machinery of profiling is excluded in them */
  size_t arcs_read, arcs_met;      /* arcs of the data; those that met functions */
} gp_profile;

/* The functions that mcount and its kin are called: the machinery of profiling, which
 * is no part of the program that is profiled. Ends with NULL. */
extern const char *const gp_machinery[];

typedef struct gp_profile_options {
  gp_selections *selections;  /* what is in there is taken over, even on failure */
  const gp_opcodes *opcodes;  /* to find calls in the code with, or NULL */
} gp_profile_options;

/* Runs all stages. Image and symbol table must outlive the profile; the data need
 * not. */
gp_profile *gp_profile_build(const gp_image *image, const gp_symtab *symtab,
                             const gp_data *data, const gp_profile_options *options,
                             gp_error *error);
void gp_profile_free(gp_profile *profile);

/* The function with that address, or GP_NONE. */
static inline uint32_t gp_profile_at(const gp_profile *profile, uint64_t address) {
  return gp_symtab_find(profile->symtab, address);
}

/* Ticks in the profile's unit; 0 where nothing was sampled. */
static inline double gp_profile_seconds(const gp_profile *profile, double ticks) {
  double rate = profile->samples.rate;
  return rate != 0 ? ticks / rate : 0;
}

/* How far such a time may be off by chance, in the profile's unit: the square root of
 * the ticks, as the manual of GNU gprof has it under "Statistical Sampling Error". Where
 * a bin is shared, each of its samples is this function's with the chance that is the
 * function's share; what is added up of such chances is as uncertain as as many whole
 * ticks. Nothing is known better than to one sample: of functions that are met once on
 * the average, a third are not met at all. 0 where nothing was sampled. */
static inline double gp_profile_error(const gp_profile *profile, double ticks) {
  return gp_profile_seconds(profile, sqrt(ticks > 1 ? ticks : 1));
}

#endif
