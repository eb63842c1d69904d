/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Extends paths of calls by the functions that were inlined at an address.
 *
 * The caller keeps a tree of paths, and has a function that returns the node of a symbol
 * below another node. Here, the nodes of inlined scopes are remembered, so each scope of
 * a path is entered once, however deep scopes are nested.
 */
#ifndef GP_PROFILE_INLINES_INLINED_FRAMES_H
#define GP_PROFILE_INLINES_INLINED_FRAMES_H

#include "gmon/contexts/call_paths.h"
#include "symbols/symtab.h"

/* Sets `*node` to the node below `above` that stands for a symbol of inlined code. The
 * scope around it has the symbol `outer`; GP_NONE if `base` is around it. False if there
 * is no memory. */
typedef bool gp_enter_frame(void *tree, uint32_t above, uint32_t outer, uint32_t symbol,
                            uint32_t *node);

typedef struct gp_inlined_frames {
  const gp_symtab_inlining *inlining;
  gp_enter_frame *enter;
  void *tree;             /* for `enter` */
  gp_pairs known;         /* base and scope; the amount is the node */
  size_t capacity;
  uint32_t *pending;      /* scopes to enter, innermost first */
} gp_inlined_frames;

/* Initializes the table, whose address must not change afterwards. */
void gp_inlined_frames_init(gp_inlined_frames *frames, const gp_symtab_inlining *inlining,
                            gp_enter_frame *enter, void *tree);
void gp_inlined_frames_free(gp_inlined_frames *frames);

/* Returns the symbol of the innermost inlined function at an address, or GP_NONE. */
uint32_t gp_inlined_symbol_at(const gp_symtab_inlining *inlining, uint64_t address);

/* Sets `*node` to the node of the innermost inlined function at an address, below
 * `above`; to `above` if nothing was inlined there. `base` identifies the path that ends
 * in the compiled function. False if there is no memory. */
bool gp_inlined_frames_enter(gp_inlined_frames *frames, uint32_t base, uint32_t above,
                             uint64_t address, uint32_t *node);

#endif
