/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measured times: how much of a callee's time was spent on behalf of each caller,
 * according to the call paths of samples (gmon/contexts/call_paths.h).
 *
 * A path leads from function to function. If a call site is not in the calling context's
 * function, it is in a function that does not record calls; the path leads through that
 * function. A path ends in the function in which the sample fell. Each step of a path is
 * an arc of the call graph.
 */
#ifndef GP_PROFILE_MEASURED_H
#define GP_PROFILE_MEASURED_H

#include "gmon/gmon.h"
#include "profile/callgraph.h"
#include "profile/samples.h"
#include "profile/selection.h"
#include "symbols/symtab.h"

/* Call paths as functions. Contexts are numbered as in gp_call_paths. */
typedef struct gp_measured {
  const gp_call_paths *paths;
  const gp_symtab *symtab;
  uint32_t *entered;   /* see gp_callgraph_entered */
  uint32_t *function;  /* of each context, the function where it ends; GP_NONE: unknown */
  uint32_t *site;      /* of each context, the function with the call site; GP_NONE if it
                          is unknown, or if the context adds no function to its parent */
  uint32_t *sampled;   /* of each row of samples, the function; GP_NONE: unknown */
} gp_measured;

/* Whether the data has the complete call paths of all its samples and calls. */
bool gp_measured_is_complete(const gp_data *data);

/* Finds the functions of the data's call paths. The data and the table must outlive
 * `measured`. Fails if there is no memory. */
bool gp_measured_find(gp_measured *measured, const gp_data *data, const gp_symtab *symtab,
                      gp_error *error);
void gp_measured_free(gp_measured *measured);

/* Finds the arcs of all steps of the paths, sorted by caller and callee. An arc has the
 * calls that came from outside the image, from a library that its caller called. Fails if
 * there is no memory. */
bool gp_measured_steps(const gp_measured *measured, gp_path_steps *steps,
                       gp_error *error);

/* Assigns samples to functions again, like gp_samples_assign. In a histogram, functions
 * can share a bin; here, the address of each sample is known. */
void gp_measured_self(const gp_measured *measured, const gp_selection *flat,
                      gp_samples *samples);

/* The stacks of all samples, as a tree: pairs of the caller's node and a function, each
 * with the ticks in its own code. Nodes have numbers: row n is node n + 1, and 0 stands
 * for no caller. Callers have lower numbers than their callees. */
typedef gp_pairs gp_stacks;

/* Fills `arc_self` and `arc_children` of a graph whose cycles have been found, and
 * `stacks`, which is initialized and empty. Samples in functions that `flat` or `time` do
 * not select are left out. Stacks begin again after calls that the user excluded. Fails
 * if there is no memory. */
bool gp_measured_arcs(const gp_measured *measured, gp_callgraph *graph, gp_stacks *stacks,
                      const gp_selection *flat, const gp_selection *time,
                      gp_error *error);

#endif
