/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile: everything that follows from an image and data. */
#include "profile.h"

#include <string.h>

#include "array.h"
#include "cycles.h"

/* The machinery of profiling itself is no part of the program that is profiled. */
static const char *const machinery[] = {
    "_gprof_mcount", "mcount", "_mcount", "__mcount", "__mcount_internal", "__mcleanup"};

static bool is_machinery(const gp_image *image, const char *name) {
  name = gp_image_plain_name(image, name);
  for (size_t i = 0; i < sizeof machinery / sizeof *machinery; i++)
    if (strcmp(name, machinery[i]) == 0) return true;
  return false;
}

/* Marks the machinery in all three exclude tables. */
static bool exclude_machinery(gp_profile *profile) {
  const gp_symtab *symtab = &profile->symtab;
  gp_selection *tables[] = {&profile->flat, &profile->print, &profile->time};
  for (uint32_t s = 0; s < symtab->count; s++) {
    /* a cheap test first: there may be a million symbols */
    if (!strstr(symtab->name[s], "mc") || !is_machinery(profile->image, symtab->name[s]))
      continue;
    for (size_t i = 0; i < 3; i++) {
      if (!tables[i]->exclude) tables[i]->exclude = gp_column(symtab->count, 1);
      if (!tables[i]->exclude) return false;
      tables[i]->exclude[s] = 1;
    }
  }
  return true;
}

/* Calls in the code, if they are wanted. */
static bool find_calls(gp_calls *found, const gp_profile *profile, const gp_data *data,
                       const gp_symtab_options *options, gp_error *error) {
  if (!options->opcodes) return true;
  if (options->gnu_compat)
    return gp_calls_find_as_gnu(found, profile->image, &profile->symtab, data,
                                options->opcodes, error);
  return gp_calls_find(found, profile->image, &profile->symtab, options->opcodes, error);
}

static bool build_graph(gp_profile *profile, const gp_data *data,
                        const gp_symtab_options *options, gp_error *error) {
  gp_calls found = {0};
  bool done = find_calls(&found, profile, data, options, error) &&
              gp_graph_build(&profile->graph, data, &found, &profile->symtab,
                             &profile->arcs_met, error);
  gp_calls_free(&found);
  return done;
}

static bool build(gp_profile *profile, const gp_data *data,
                  const gp_symtab_options *options, gp_error *error) {
  gp_graph *graph = &profile->graph;
  return gp_symtab_build(&profile->symtab, profile->image, options, error) &&
         (exclude_machinery(profile) || gp_fail_memory(error)) &&
         gp_samples_assign(&profile->samples, data, &profile->symtab, &profile->flat,
                           error) &&
         build_graph(profile, data, options, error) &&
         gp_cycles_find(graph, error) &&
         gp_propagate(graph, &profile->samples, &profile->print, &profile->time, error) &&
         gp_order_entries(graph, error);
}

gp_profile *gp_profile_build(const gp_image *image, const gp_data *data,
                             const gp_symtab_options *options, gp_error *error) {
  gp_profile *profile = gp_column(1, sizeof *profile);
  if (!profile) {
    gp_fail_memory(error);
    return NULL;
  }
  profile->image = image;
  profile->arcs_read = data->arcs.count;
  if (build(profile, data, options, error)) return profile;
  gp_profile_free(profile);
  return NULL;
}

void gp_profile_free(gp_profile *profile) {
  if (!profile) return;
  gp_selection *tables[] = {&profile->flat, &profile->print, &profile->time};
  for (size_t i = 0; i < 3; i++) {
    free(tables[i]->include);
    free(tables[i]->exclude);
  }
  gp_graph_free(&profile->graph);
  gp_samples_free(&profile->samples);
  gp_symtab_free(&profile->symtab);
  free(profile);
}
