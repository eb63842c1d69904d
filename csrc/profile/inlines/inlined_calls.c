/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls and call paths in which inlined functions are functions. */
#include "profile/inlines/inlined_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/inlines/inlined_frames.h"

/* Instead of a context: calls are made in several contexts. */
#define SEVERAL UINT64_MAX

/* The paths that are made. */
typedef struct expansion {
  gp_call_paths *paths;
  const gp_call_paths *old;
  const gp_symtab *symtab;
  gp_inlined_frames frames;
  gp_pairs bases;         /* contexts of compiled functions with inlined code, and the
                             function's address */
  uint32_t *context;      /* for each old context: the new one */
  uint32_t *function;     /* for each old context: the function that it enters */
  gp_pairs callers;       /* old context and callee; the amount is the context in which
                             it was called, or SEVERAL */
  uint64_t caller;        /* the address of the compiled function */
  gp_error *error;
} expansion;

/* Returns the address at which a call is recorded: in inlined code, that of the inlined
 * function. The byte before `from` is in the call. */
static uint64_t caller_address(const gp_symtab *symtab, uint64_t from) {
  if (from == GP_OUTSIDE) return from;
  uint32_t symbol = gp_inlined_symbol_at(symtab->inlining, from - 1);
  return symbol == GP_NONE ? from : symtab->address[symbol];
}

static bool add_arcs(gp_data *inlined, const gp_data *data, const gp_symtab *symtab,
                     gp_error *error) {
  const gp_arcs *arcs = &data->arcs;
  for (size_t i = 0; i < arcs->count; i++)
    if (!gp_data_add_arc(inlined, caller_address(symtab, arcs->from[i]), arcs->self[i],
                         arcs->calls[i], GP_NO_OFFSET, error))
      return false;
  return true;
}

static bool enter_frame(void *tree, uint32_t above, uint32_t outer, uint32_t symbol,
                        uint32_t *node) {
  expansion *e = tree;
  const uint64_t *address = e->symtab->address;
  uint64_t from = outer == GP_NONE ? e->caller : address[outer];
  return gp_call_paths_enter(e->paths, above, from, address[symbol], node, e->error);
}

/* Extends the path of a context by the functions that were inlined at an address. */
static bool extend(expansion *e, uint32_t *context, uint64_t address) {
  if (gp_inlined_symbol_at(e->symtab->inlining, address) == GP_NONE) return true;
  uint32_t function = gp_symtab_find(e->symtab, address);
  e->caller = function == GP_NONE ? address : e->symtab->address[function];
  uint32_t base = gp_pairs_row(&e->bases, *context, e->caller);
  return (base != GP_NONE &&
          gp_inlined_frames_enter(&e->frames, base, *context, address, context)) ||
         gp_fail_memory(e->error);
}

/* Notes the context in which a function was called from an old context. */
static bool note_caller(expansion *e, uint64_t parent, uint32_t function,
                        uint32_t caller) {
  size_t before = e->callers.count;
  uint32_t row = gp_pairs_row(&e->callers, parent, function);
  if (row == GP_NONE) return gp_fail_memory(e->error);
  uint64_t *noted = &e->callers.amount[row];
  *noted = e->callers.count > before || *noted == caller ? caller : SEVERAL;
  return true;
}

static bool add_contexts(expansion *e) {
  const gp_pairs *contexts = &e->old->contexts, *sites = &e->old->sites;
  e->context[GP_ROOT_CONTEXT] = GP_ROOT_CONTEXT;
  e->function[GP_ROOT_CONTEXT] = GP_NONE;
  for (size_t i = 0; i < contexts->count; i++) {
    uint64_t site = contexts->second[i], from = sites->first[site];
    uint32_t caller = e->context[contexts->first[i]];
    e->function[i + 1] = gp_symtab_find(e->symtab, sites->second[site]);
    if ((from != GP_OUTSIDE && !extend(e, &caller, from - 1)) ||
        !note_caller(e, contexts->first[i], e->function[i + 1], caller) ||
        !gp_call_paths_enter(e->paths, caller, caller_address(e->symtab, from),
                             sites->second[site], &e->context[i + 1], e->error))
      return false;
  }
  return true;
}

/* Returns the context of a sample. A sample at the start of a function, before the call
 * was recorded, has the context of the caller, but no call site. If all calls of the
 * function in this context are from the same inlined function, so is this one. */
static uint32_t context_of(const expansion *e, uint32_t context, uint64_t address) {
  uint32_t function = gp_symtab_find(e->symtab, address);
  if (function == e->function[context]) return e->context[context];
  uint32_t row = gp_hash_find(&e->callers.index, (gp_key){context, function});
  bool known = row != GP_NONE && e->callers.amount[row] != SEVERAL;
  return known ? (uint32_t)e->callers.amount[row] : e->context[context];
}

static bool add_samples(expansion *e) {
  const gp_pairs *samples = &e->old->samples;
  for (size_t i = 0; i < samples->count; i++) {
    uint64_t address = samples->second[i];
    uint32_t context = context_of(e, (uint32_t)samples->first[i], address);
    uint32_t symbol = gp_inlined_symbol_at(e->symtab->inlining, address);
    if (!extend(e, &context, address)) return false;
    if (symbol != GP_NONE) address = e->symtab->address[symbol];
    if (!gp_call_paths_add_ticks(e->paths, context, address, samples->amount[i],
                                 e->error))
      return false;
  }
  return true;
}

/* Adds calls from outside the image. Their total includes all other calls. */
static bool add_indirect(expansion *e) {
  const gp_pairs *indirect = &e->old->indirect;
  for (size_t i = 0; i < indirect->count; i++) {
    uint32_t row = gp_pairs_row(&e->paths->indirect, e->context[indirect->first[i]],
                                indirect->second[i]);
    if (row == GP_NONE) return gp_fail_memory(e->error);
    e->paths->indirect.amount[row] += indirect->amount[i];
  }
  return true;
}

static bool add_paths(expansion *e) {
  size_t count = e->old->contexts.count + 1;
  e->context = gp_column(count, sizeof *e->context);
  e->function = gp_column(count, sizeof *e->function);
  if (!e->context || !e->function) return gp_fail_memory(e->error);
  return add_contexts(e) && add_samples(e) && add_indirect(e);
}

bool gp_inlined_calls_find(gp_data *inlined, const gp_data *data,
                           const gp_symtab *symtab, gp_error *error) {
  expansion e = {.paths = &inlined->paths, .old = &data->paths, .symtab = symtab,
                 .error = error};
  gp_inlined_frames_init(&e.frames, symtab->inlining, enter_frame, &e);
  gp_pairs_init(&e.bases);
  gp_pairs_init(&e.callers);
  inlined->paths.known = true;
  bool done = add_arcs(inlined, data, symtab, error) && add_paths(&e);
  gp_inlined_frames_free(&e.frames);
  gp_pairs_free(&e.bases);
  gp_pairs_free(&e.callers);
  free(e.context);
  free(e.function);
  return done;
}
