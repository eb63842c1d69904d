/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a profile from an image and data. */
#include "profile/profile.h"

#include <string.h>

#include "base/array.h"
#include "profile/bounds/graph_bounds.h"
#include "profile/code/gnu_static_calls.h"
#include "profile/cycles.h"
#include "profile/inlines/inlined_calls.h"

const char *const gp_machinery[] = {"_gprof_mcount", "mcount", "_mcount", "__mcount",
                                    "__mcount_internal", "__mcleanup", NULL};

/* A cheap test, because there may be millions of symbols: mcount, gprof_mcount, mcleanup
 * and sanitizer_cov_trace_pc, after underscores and what targets add to names. */
static bool may_be_machinery(const char *name) {
  while (*name == '_' || *name == '.') name++;
  return *name == 'm' || *name == 'g' || *name == 's';
}

static bool is_machinery(const gp_profile *profile, const char *name) {
  name = gp_image_plain_name(profile->image, name);
  if (strcmp(name, gp_block_counter) == 0)
    return profile->symtab->policy->block_counter_excluded;
  for (const char *const *machine = gp_machinery; *machine; machine++)
    if (strcmp(name, *machine) == 0) return true;
  return false;
}

/* Excludes the machinery (see profile.h) from the flat profile, and from the entries and
 * the time of the call graph. */
static bool exclude_machinery(gp_profile *profile) {
  static const gp_stage stages[] = {GP_FLAT, GP_PRINT, GP_TIME};
  const gp_symtab *symtab = profile->symtab;
  for (uint32_t s = 0; s < symtab->count; s++) {
    if (!may_be_machinery(symtab->name[s]) || !is_machinery(profile, symtab->name[s]))
      continue;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
      gp_selection *selection = &profile->selections.of[stages[i]];
      if (!selection->exclude) selection->exclude = gp_column(symtab->count, 1);
      if (!selection->exclude) return false;
      selection->exclude[s] = 1;
    }
  }
  return true;
}

/* Drops static calls that the user excluded. */
static void drop_unselected(gp_static_calls *found, gp_arc_selection *selection) {
  size_t kept = 0;
  for (size_t i = 0; i < found->count; i++) {
    if (!gp_select_arc(selection, found->caller[i], found->callee[i])) continue;
    found->caller[kept] = found->caller[i];
    found->callee[kept++] = found->callee[i];
  }
  found->count = kept;
}

/* Finds static calls, if requested. */
static bool find_calls(gp_static_calls *found, gp_profile *profile,
                       const gp_data *data, const gp_profile_options *options,
                       gp_error *error) {
  if (!options->static_calls) return true;
  if (!profile->symtab->policy->decoded_calls)
    return gp_gnu_static_calls_find(found, profile->image, profile->symtab, data,
                                    options->opcodes, error);
  if (!gp_static_calls_find(found, profile->image, profile->symtab, options->opcodes,
                            error))
    return false;
  drop_unselected(found, &profile->selections.arcs);
  return true;
}

/* Assigns blocks to symbols: all blocks if they were found in the code, otherwise the
 * recorded ones. */
static bool build_blocks(gp_profile *profile, const gp_data *data,
                         const gp_profile_options *options, gp_error *error) {
  const gp_symtab *symtab = profile->symtab;
  const gp_blocks *recorded = &data->blocks;
  gp_counted_code *code = &profile->code;
  if (options->idle_blocks && symtab->lines &&
      !gp_counted_code_find(code, recorded, profile->image, symtab, options->opcodes,
                            error))
    return false;
  gp_block_list blocks = {recorded->count, recorded->address, recorded->executions,
                          recorded->address};
  if (code->piece_count > 0)
    blocks = (gp_block_list){code->block_count, code->block, code->executions,
                             code->code};
  return gp_block_counts_build(&profile->blocks, &blocks, symtab, error);
}

/* Finds the arcs that are known from call paths, or from samples in inlined code. */
static bool find_steps(const gp_profile *profile, const gp_measured *measured,
                       gp_path_steps *steps, gp_error *error) {
  const gp_inlined_ticks *inlined = profile->samples.trees;
  if (profile->measured) return gp_measured_steps(measured, steps, error);
  return !inlined || gp_inlined_ticks_steps(inlined, steps) || gp_fail_memory(error);
}

/* Builds the arcs and finds the cycles. */
static bool build_graph(gp_profile *profile, const gp_data *data,
                        const gp_measured *measured, const gp_profile_options *options,
                        gp_error *error) {
  gp_static_calls found = {0};
  gp_path_steps steps = {0};
  bool done = find_calls(&found, profile, data, options, error) &&
              find_steps(profile, measured, &steps, error);
  const gp_symtab *symtab = profile->symtab;
  bool traces = done && gp_traces(symtab->trace, GP_TRACE_STATIC_CALLS);
  for (size_t i = 0; traces && i < found.count; i++)
    gp_trace_write(symtab->trace, GP_TRACE_STATIC_CALLS, "in the code, %s calls %s",
                   symtab->name[found.caller[i]], symtab->name[found.callee[i]]);
  done = done && gp_callgraph_build(&profile->graph, data, &steps, &found,
                                    symtab, &profile->selections.arcs,
                                    &profile->arcs_matched, error) &&
         gp_cycles_find(&profile->graph, error);
  gp_path_steps_free(&steps);
  gp_static_calls_free(&found);
  return done;
}

/* Whether the time of arcs can be measured. The user's selection of time is propagated in
 * proportion to calls, and lines have no call paths. */
static bool is_measured(const gp_profile *profile, const gp_data *data,
                        const gp_profile_options *options) {
  const gp_selection *time = &profile->selections.of[GP_TIME];
  return !options->estimated && profile->symtab->policy->measured_times &&
         !profile->symtab->lines && !time->include && !time->exclude &&
         gp_measured_is_complete(data);
}

/* Assigns the samples of `data`, whose call paths are those of `calls`. */
static bool assign_samples(gp_profile *profile, const gp_data *data, const gp_data *calls,
                           gp_measured *measured, bool restricted, gp_error *error) {
  const gp_selection *flat = &profile->selections.of[GP_FLAT];
  if (!gp_samples_assign(&profile->samples, data, profile->symtab, flat, restricted,
                         profile->measured, error))
    return false;
  if (!profile->measured) return true;
  if (!gp_measured_find(measured, calls, profile->symtab, error)) return false;
  gp_measured_self(measured, flat, &profile->samples);
  return true;
}

/* Computes the times of the graph. */
static bool propagate(gp_profile *profile, const gp_measured *measured, gp_error *error) {
  gp_callgraph *graph = &profile->graph;
  const gp_selection *of = profile->selections.of;
  const gp_inlined_ticks *inlined = profile->samples.trees;
  return (!profile->measured ||
          gp_measured_arcs(measured, graph, &profile->stacks, &of[GP_FLAT], &of[GP_TIME],
                           error)) &&
         (!inlined || gp_inlined_ticks_arcs(inlined, graph, &of[GP_TIME]) ||
          gp_fail_memory(error)) &&
         gp_propagate(graph, &profile->samples, &of[GP_PRINT], &of[GP_TIME], error);
}

/* Returns the share of samples that are on known stacks; -1 without call paths. */
static double find_path_share(const gp_call_paths *paths) {
  const uint64_t unknown = paths->unknown_stack_ticks;
  if (paths->contexts.count == 0 && unknown == 0) return -1;
  return unknown == 0 ? 1 : 1 - (double)unknown / (double)paths->ticks;
}

/* Compares the samples with the processor time. Up to a twentieth may be missing, and
 * what may be due to chance. */
static double find_coverage(const gp_profile *profile, const gp_call_paths *paths) {
  double expected = profile->cpu * profile->samples.rate;
  double found = (double)paths->signal_ticks;
  double chance = profile->ticks_per_sample * sqrt(expected / profile->ticks_per_sample);
  bool misses = expected > 0 && found < 0.95 * expected && found + 4 * chance < expected;
  double least = profile->ticks_per_sample;  /* at least one sample, as in errors */
  return misses ? (found > least ? found : least) / expected : 1;
}

/* Needs the rate of the samples. */
static void compare_clocks(gp_profile *profile, const gp_call_paths *paths) {
  profile->cpu = (double)paths->cpu / 1e9;
  profile->clocks = paths->flags;
  profile->recorder =
      paths->signal_ticks > 0 ? (double)paths->inside / (double)paths->signal_ticks : 0;
  profile->coverage = find_coverage(profile, paths);
}

static bool build(gp_profile *profile, const gp_data *data, gp_data *inlined,
                  const gp_profile_options *options, gp_error *error) {
  gp_measured measured = {0};
  const gp_data *calls = data;
  profile->has_paths = data->paths.known;
  profile->path_share = find_path_share(&data->paths);
  profile->ticks_per_sample = gp_call_paths_ticks_per_sample(&data->paths);
  profile->measured = is_measured(profile, data, options);
  const gp_selection *flat = &profile->selections.of[GP_FLAT];
  bool restricted = flat->include || flat->exclude;  /* by the user */
  if (profile->measured && profile->symtab->inlining) {
    if (!gp_inlined_calls_find(inlined, data, profile->symtab, error)) return false;
    calls = inlined;
  }
  bool done = (exclude_machinery(profile) || gp_fail_memory(error)) &&
              assign_samples(profile, data, calls, &measured, restricted, error) &&
              gp_unattributed_find(&profile->unattributed, profile->image,
                                   profile->symtab, &profile->samples, data, error) &&
              build_blocks(profile, data, options, error) &&
              build_graph(profile, calls, &measured, options, error) &&
              propagate(profile, &measured, error) &&
              (!options->time_bounds ||
               gp_time_bounds_find(&profile->bounds, profile->image, data,
                                   &profile->graph, &profile->samples, options->opcodes,
                                   error));
  if (done) compare_clocks(profile, &data->paths);
  gp_measured_free(&measured);
  return done;
}

gp_profile *gp_profile_build(const gp_image *image, const gp_symtab *symtab,
                             const gp_data *data, const gp_profile_options *options,
                             gp_error *error) {
  gp_profile *profile = gp_column(1, sizeof *profile);
  if (!profile) {
    gp_selections_free(options->selections);
    gp_fail_memory(error);
    return NULL;
  }
  profile->image = image;
  profile->symtab = symtab;
  gp_pairs_init(&profile->stacks);
  profile->arcs_read = data->arcs.count;
  profile->selections = *options->selections;
  memset(options->selections, 0, sizeof *options->selections);
  gp_data inlined;
  gp_data_init(&inlined, data->layout);
  bool done = build(profile, data, &inlined, options, error);
  gp_data_free(&inlined);
  if (done) return profile;
  gp_profile_free(profile);
  return NULL;
}

bool gp_profile_find_limits(gp_profile *profile, const gp_data *data,
                            const gp_opcodes *opcodes, gp_error *error) {
  gp_time_bounds *limits = &profile->limits;
  if (limits->low) return true;
  if (opcodes && !gp_time_bounds_find(limits, profile->image, data, &profile->graph,
                                      &profile->samples, opcodes, error))
    return false;
  return limits->low || gp_graph_bounds_find(limits, &profile->graph, error);
}

void gp_profile_free(gp_profile *profile) {
  if (!profile) return;
  gp_selections_free(&profile->selections);
  gp_callgraph_free(&profile->graph);
  gp_block_counts_free(&profile->blocks);
  gp_counted_code_free(&profile->code);
  gp_time_bounds_free(&profile->bounds);
  gp_time_bounds_free(&profile->limits);
  gp_samples_free(&profile->samples);
  gp_pairs_free(&profile->stacks);
  free(profile);
}
