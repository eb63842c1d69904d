/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that cold parts belong to. */
#include "symbols/cold_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "symbols/clone_suffix.h"

/* Indexes of functions by name. */
typedef struct functions {
  const gp_candidates *chosen;
  gp_key *name;       /* per function: its name; per cold part: its owner's name */
  bool *is_cold;      /* per function: it is a cold part */
  gp_hash by_file;    /* the first function of each name in each file */
  gp_hash by_name;    /* the first function of each name */
  uint32_t *nearest;  /* per row of `by_file`: the last function of that name and file
                         before the current row */
  bool *owns;         /* per function: it owns a cold part */
  uint32_t *file;     /* per function that owns one: the file of that */
  uint32_t *spare;    /* per row of `by_name`: the number of functions of that name that
                         own no cold part */
  uint32_t *last;     /* per row of `by_name`: the last function of that name that owns no
                         cold part */
} functions;

static gp_key in_file(gp_key name, uint32_t file) { return (gp_key){name.first, file}; }

static gp_key name_key(const void *columns, uint32_t row) {
  const functions *f = columns;
  return f->name[row];
}

static gp_key file_key(const void *columns, uint32_t row) {
  const functions *f = columns;
  return in_file(f->name[row], f->chosen->rows[row].file);
}

/* Returns the first row with the same key as `row`. If there is none, adds `row` and
 * returns it; GP_NONE if there is no memory. */
static uint32_t enter(gp_hash *index, uint32_t row) {
  uint32_t first = gp_hash_find(index, index->key_of(index->columns, row));
  if (first != GP_NONE) return first;
  return gp_hash_add(index, row) ? row : GP_NONE;
}

static bool enter_functions(functions *f) {
  for (uint32_t i = 0; i < f->chosen->count; i++) {
    const char *name = f->chosen->rows[i].name;
    size_t stem = gp_clone_cold_stem(name);
    f->is_cold[i] = stem != 0;
    f->name[i] = stem != 0 ? gp_bytes_key(name, stem) : gp_text_key(name);
    if (stem != 0) continue;
    uint32_t first = enter(&f->by_name, i);
    if (first == GP_NONE || enter(&f->by_file, i) == GP_NONE) return false;
  }
  return true;
}

/* --- the rules, in order ----------------------------------------------------- */

/* Returns the function named `name` in the cold part's file, or GP_NONE. Compilers list a
 * function before its cold part. If files are unknown (strip -g), several functions may
 * have the name; then the nearest one before the cold part is the right one. A hidden
 * function may follow its cold part, because lld lists hidden functions last in their
 * file. */
static uint32_t in_same_file(const functions *f, gp_key name, uint32_t cold) {
  uint32_t file = f->chosen->rows[cold].file;
  uint32_t first = gp_hash_find(&f->by_file, in_file(name, file));
  if (first != GP_NONE && first < cold) return f->nearest[first];
  return file == GP_UNKNOWN_FILE ? GP_NONE : first;
}

/* Returns the hidden function named `name`, or GP_NONE. Only functions that own no cold
 * part are considered. ld lists hidden functions last, after a file symbol without a
 * name, so the last function of the name is the hidden one. If the table does not end
 * with such a file symbol and a function named `name`, there must be only one function of
 * that name. */
static uint32_t hidden(const functions *f, gp_key name) {
  uint32_t first = gp_hash_find(&f->by_name, name);
  if (first == GP_NONE || f->spare[first] == 0) return GP_NONE;
  uint32_t last = f->last[first];
  bool at_end = f->chosen->rows[last].file == f->chosen->last_file;
  return f->spare[first] == 1 || at_end ? last : GP_NONE;
}

/* Whether a function may own a cold part. It owns one, or numbered ones from one file. */
static bool may_own(const functions *f, uint32_t owner, uint32_t cold) {
  if (!f->owns[owner]) return true;
  const gp_candidate *part = &f->chosen->rows[cold];
  return gp_clone_is_numbered_part(part->name) && f->file[owner] == part->file;
}

/* Sets the owner of a cold part. Does nothing if `owner` is GP_NONE, must not own it, or
 * has a different name with the same hash. */
static void set_owner(functions *f, gp_candidates *chosen, uint32_t cold,
                      uint32_t owner) {
  if (owner == GP_NONE || !may_own(f, owner, cold)) return;
  const char *part = chosen->rows[cold].name, *found = chosen->rows[owner].name;
  size_t length = f->name[cold].second;
  if (strncmp(found, part, length) != 0 || found[length]) return;
  chosen->rows[cold].owner = owner;
  f->owns[owner] = true;
  f->file[owner] = chosen->rows[cold].file;
}

/* --- all cold parts ------------------------------------------------------------ */

static void assign_in_files(functions *f, gp_candidates *chosen) {
  for (uint32_t i = 0; i < chosen->count; i++) {
    if (f->is_cold[i])
      set_owner(f, chosen, i, in_same_file(f, f->name[i], i));
    else
      f->nearest[gp_hash_find(&f->by_file, file_key(f, i))] = i;
  }
}

static void find_spare(functions *f) {
  for (uint32_t i = 0; i < f->chosen->count; i++) {
    if (f->is_cold[i] || f->owns[i]) continue;
    uint32_t first = gp_hash_find(&f->by_name, f->name[i]);
    f->spare[first]++;
    f->last[first] = i;
  }
}

static void assign_elsewhere(functions *f, gp_candidates *chosen) {
  for (uint32_t i = 0; i < chosen->count; i++) {
    if (!f->is_cold[i] || chosen->rows[i].owner != GP_NONE) continue;
    uint32_t owner = gp_hash_find(&f->by_file, in_file(f->name[i], 0));
    if (owner == GP_NONE) owner = hidden(f, f->name[i]);
    set_owner(f, chosen, i, owner);
  }
}

static bool allocate(functions *f) {
  size_t count = f->chosen->count;
  f->name = gp_column(count, sizeof *f->name);
  f->is_cold = gp_column(count, sizeof *f->is_cold);
  f->nearest = gp_column(count, sizeof *f->nearest);
  f->owns = gp_column(count, sizeof *f->owns);
  f->file = gp_column(count, sizeof *f->file);
  f->spare = gp_column(count, sizeof *f->spare);
  f->last = gp_column(count, sizeof *f->last);
  return f->name && f->is_cold && f->nearest && f->owns && f->file && f->spare && f->last;
}

static void free_functions(functions *f) {
  gp_hash_free(&f->by_file);
  gp_hash_free(&f->by_name);
  free(f->name);
  free(f->is_cold);
  free(f->nearest);
  free(f->owns);
  free(f->file);
  free(f->spare);
  free(f->last);
}

bool gp_cold_parts_assign(gp_candidates *chosen) {
  bool has_cold_parts = false;
  for (size_t i = 0; !has_cold_parts && i < chosen->count; i++)
    has_cold_parts = gp_clone_is_cold(chosen->rows[i].name);
  if (!has_cold_parts) return true;
  functions f = {.chosen = chosen};
  gp_hash_init(&f.by_file, file_key, &f);
  gp_hash_init(&f.by_name, name_key, &f);
  bool done = allocate(&f) && enter_functions(&f);
  if (done) {
    assign_in_files(&f, chosen);
    find_spare(&f);
    assign_elsewhere(&f, chosen);
  }
  free_functions(&f);
  return done;
}
