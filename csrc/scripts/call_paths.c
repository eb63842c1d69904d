/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/call_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 1 << 10, FIRST_RECORDS = 1 << 9 };

bool scr_paths_init(scr_paths *paths, size_t most) {
  *paths = (scr_paths){.count = SCR_ROOTS, .capacity = FIRST_RECORDS,
                       .slot_count = FIRST_SLOTS, .most = most};
  paths->records = calloc(FIRST_RECORDS, sizeof *paths->records);
  paths->slots = calloc(FIRST_SLOTS, sizeof *paths->slots);
  if (!paths->records || !paths->slots) {
    scr_paths_free(paths);
    return false;
  }
  for (uint32_t row = 0; row < SCR_ROOTS; row++)
    paths->records[row] = (scr_record){row, row, SCR_NONE, 0, 0};
  return true;
}

void scr_paths_free(scr_paths *paths) {
  free(paths->records);
  free(paths->slots);
  *paths = (scr_paths){0};
}

static size_t slot_of(const scr_paths *paths, uint32_t context, uint32_t function,
                      uint32_t line) {
  uint64_t key = (uint64_t)context << 40 ^ (uint64_t)function << 20 ^ line;
  return (size_t)gp_mix(key) & (paths->slot_count - 1);
}

static void enter_slot(scr_paths *paths, uint32_t row) {
  const scr_record *r = &paths->records[row];
  size_t at = slot_of(paths, r->context, r->function, r->line);
  while (paths->slots[at]) at = (at + 1) & (paths->slot_count - 1);
  paths->slots[at] = row + 1;
}

/* At most half of the slots are used. */
static bool grow_slots(scr_paths *paths) {
  if (paths->count < paths->slot_count / 2) return true;
  uint32_t *slots = calloc(paths->slot_count * 2, sizeof *slots);
  if (!slots) return false;
  free(paths->slots);
  paths->slots = slots;
  paths->slot_count *= 2;
  for (size_t row = SCR_ROOTS; row < paths->count; row++)
    enter_slot(paths, (uint32_t)row);
  return true;
}

static bool grow_records(scr_paths *paths) {
  if (paths->count < paths->capacity) return true;
  scr_record *grown =
      realloc(paths->records, paths->capacity * 2 * sizeof *paths->records);
  if (!grown) return false;
  paths->records = grown;
  paths->capacity *= 2;
  return true;
}

/* Returns the context on the path `context` that a function runs in; SCR_NONE if it
 * is not on the path. */
static uint32_t context_on_path(const scr_paths *paths, uint32_t context,
                                uint32_t function) {
  while (context >= SCR_ROOTS) {
    if (paths->records[context].function == function) return context;
    context = paths->records[context].context;
  }
  return SCR_NONE;
}

static uint32_t add_row(scr_paths *paths, uint32_t context, uint32_t function,
                        uint32_t line) {
  if (!grow_records(paths) || !grow_slots(paths)) return SCR_NONE;
  const uint32_t row = (uint32_t)paths->count++;
  uint32_t entered = row;
  if (function != SCR_NONE) {
    uint32_t above = context_on_path(paths, context, function);
    if (above != SCR_NONE) entered = above;
    else if (context == SCR_JOINED) entered = SCR_JOINED;
  }
  paths->records[row] = (scr_record){context, entered, function, line, 0};
  enter_slot(paths, row);
  return row;
}

uint32_t scr_paths_row(scr_paths *paths, uint32_t context, uint32_t function,
                       uint32_t line) {
  const size_t mask = paths->slot_count - 1;
  for (size_t at = slot_of(paths, context, function, line); paths->slots[at];
       at = (at + 1) & mask) {
    const uint32_t row = paths->slots[at] - 1;
    const scr_record *r = &paths->records[row];
    if (r->context == context && r->function == function && r->line == line) return row;
  }
  if (paths->count < paths->most || context == SCR_JOINED)
    return add_row(paths, context, function, line);
  paths->joined = true;
  return scr_paths_row(paths, SCR_JOINED, function, line);
}
