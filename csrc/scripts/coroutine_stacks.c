/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/coroutine_stacks.h"

#include <stdlib.h>

#include "base/hash.h"

enum { FIRST_STACKS = 1 << 4, FIRST_FRAMES = 1 << 2 };

bool scr_stacks_init(scr_stacks *stacks) {
  *stacks = (scr_stacks){.size = FIRST_STACKS};
  stacks->list = calloc(FIRST_STACKS, sizeof *stacks->list);
  return stacks->list;
}

void scr_stacks_free(scr_stacks *stacks) {
  for (size_t i = 0; i < stacks->size; i++) free(stacks->list[i].frames);
  free(stacks->list);
  *stacks = (scr_stacks){0};
}

/* Returns the entry of a coroutine, or the free one where it belongs. */
static scr_stack *entry_of(const scr_stacks *stacks, const void *thread) {
  size_t at = (size_t)gp_mix((uintptr_t)thread);
  while (true) {
    scr_stack *entry = &stacks->list[at++ & (stacks->size - 1)];
    if (!entry->thread || entry->thread == thread) return entry;
  }
}

static bool is_live(const scr_stack *stack) { return stack->thread && !stack->collected; }

/* Makes room for a stack. Leaves out those of collected coroutines. */
static bool grow(scr_stacks *stacks) {
  if (stacks->used < stacks->size / 2) return true;
  scr_stacks grown = {.size = stacks->size};
  for (size_t i = 0; i < stacks->size; i++) grown.used += is_live(&stacks->list[i]);
  if (grown.used > grown.size / 4) grown.size *= 2;
  /* the size is never 0: NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI) */
  grown.list = calloc(grown.size, sizeof *grown.list);
  if (!grown.list) return false;
  for (size_t i = 0; i < stacks->size; i++)
    if (is_live(&stacks->list[i]))
      *entry_of(&grown, stacks->list[i].thread) = stacks->list[i];
  free(stacks->list);
  *stacks = grown;
  return true;
}

scr_stack *scr_stack_find(const scr_stacks *stacks, const void *thread) {
  scr_stack *found = entry_of(stacks, thread);
  return found->thread ? found : NULL;
}

scr_stack *scr_stack_of(scr_stacks *stacks, const void *thread, uint32_t base) {
  scr_stack *found = entry_of(stacks, thread);
  if (is_live(found)) return found;
  if (!found->thread) {
    if (!grow(stacks)) return NULL;
    found = entry_of(stacks, thread);
    stacks->used++;
  }
  *found = (scr_stack){.thread = thread, .base = base};
  return found;
}

void scr_stack_drop(scr_stacks *stacks, const void *thread) {
  scr_stack *found = stacks->list ? scr_stack_find(stacks, thread) : NULL;
  if (!found) return;
  free(found->frames);
  found->frames = NULL;
  found->count = found->capacity = found->resumed = 0;
  found->collected = true;
}

bool scr_stack_grow(scr_stack *stack) {
  const size_t capacity = stack->capacity ? stack->capacity * 2 : FIRST_FRAMES;
  scr_frame *frames = realloc(stack->frames, capacity * sizeof *frames);
  if (!frames) return false;
  stack->frames = frames;
  stack->capacity = capacity;
  return true;
}
