/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges a program and shared libraries into one symbol table and one sum. */
#include "profile/merged_objects.h"

#include <string.h>

#include "base/array.h"

/* Alignment of the start of each object: the largest page size. */
#define ALIGNMENT ((uint64_t)1 << 16)

/* --- addresses ----------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns one past the last address covered by a symbol or a histogram of an object. */
static uint64_t end_of(const gp_merged_object *object) {
  const gp_symtab *symtab = object->symtab;
  uint64_t last = symtab->address[symtab->count - 1];
  uint64_t end = larger(symtab->text_high, last < UINT64_MAX ? last + 1 : last);
  for (size_t i = 0; i < object->data->histogram_count; i++)
    end = larger(end, object->data->histograms[i].high);
  return end;
}

/* Assigns each object its own range of addresses. */
static bool place(gp_merged_object *objects, size_t count, gp_error *error) {
  uint64_t next = 0;
  for (size_t i = 0; i < count; i++) {
    objects[i].slide = next;
    objects[i].end = end_of(&objects[i]);
    /* next + end, rounded up, must not overflow */
    if (objects[i].end > UINT64_MAX - 2 * ALIGNMENT - next)
      return gp_fail(error, "the address space is too small for all objects");
    next = (next + objects[i].end + ALIGNMENT) & ~(ALIGNMENT - 1);
  }
  return true;
}

/* --- symbols ------------------------------------------------------------------- */

/* Allocates columns for `count` symbols, and `text` bytes for names. */
static bool allocate(gp_symtab *merged, size_t count, size_t text) {
  gp_symtab_objects *objects = merged->objects = gp_column(1, sizeof *objects);
  if (!objects) return false;
  merged->address = gp_column(count, sizeof *merged->address);
  merged->name = gp_column(count, sizeof *merged->name);
  merged->flags = gp_column(count, sizeof *merged->flags);
  merged->order = gp_column(count, sizeof *merged->order);
  merged->owner = gp_column(count, sizeof *merged->owner);
  objects->end = gp_column(count, sizeof *objects->end);
  objects->name = gp_column(count, sizeof *objects->name);
  objects->text = gp_column(text, 1);
  return merged->address && merged->name && merged->flags && merged->order &&
         merged->owner && objects->end && objects->name && objects->text;
}

/* Returns the bytes needed for the names of an object's symbols. */
static size_t name_bytes(const gp_merged_object *object) {
  size_t bytes = object->name ? strlen(object->name) + 1 : 0;
  for (uint32_t s = 0; object->name && s < object->symtab->count; s++)
    bytes += strlen(object->symtab->name[s]) + 1 + strlen(object->name) + 1;
  return bytes;
}

/* Copies a string. Returns a pointer to its NUL. */
static char *copy(char *to, const char *text) {
  size_t size = strlen(text) + 1;
  memcpy(to, text, size);
  return to + size - 1;
}

static const char *append_text(char **text, const char *name, const char *object) {
  char *start = *text, *end = copy(start, name);
  if (object) {
    *end++ = '@';
    end = copy(end, object);
  }
  *text = end + 1;
  return start;
}

/* Appends the symbols of an object. Adds `*order` to the `order` of each symbol, and
 * advances `*order`. */
static void append(gp_symtab *merged, const gp_merged_object *object, char **text,
                   uint32_t *order) {
  const gp_symtab *symtab = object->symtab;
  uint32_t base = (uint32_t)merged->count, highest = 0;
  const char *name = object->name ? append_text(text, object->name, NULL) : NULL;
  for (uint32_t s = 0; s < symtab->count; s++) {
    uint32_t row = base + s;
    uint64_t end = s == symtab->outside ? symtab->address[s] : gp_symtab_end(symtab, s);
    merged->address[row] = symtab->address[s] + object->slide;
    merged->objects->end[row] = end + object->slide;
    merged->name[row] = name ? append_text(text, symtab->name[s], name) : symtab->name[s];
    merged->objects->name[row] = name;
    merged->flags[row] = symtab->flags[s];
    merged->order[row] = *order + symtab->order[s];
    merged->owner[row] = base + gp_symtab_owner(symtab, s);
    if (symtab->order[s] > highest) highest = symtab->order[s];
  }
  *order += highest + 1;
  merged->count += symtab->count;
  merged->text_high = symtab->text_high + object->slide;
}

bool gp_merged_objects_build(gp_symtab *merged, gp_merged_object *objects, size_t count,
                             gp_error *error) {
  size_t symbols = 0, text = 1;
  uint32_t order = 0;
  memset(merged, 0, sizeof *merged);
  merged->outside = GP_NONE;
  merged->sourceless = true;
  merged->policy = &gp_policy_default;
  merged->trace = objects[0].symtab->trace;
  if (!place(objects, count, error)) return false;
  for (size_t i = 0; i < count; i++) {
    symbols += objects[i].symtab->count;
    text += name_bytes(&objects[i]);
  }
  if (symbols >= UINT32_MAX / 4)
    return gp_fail(error, "the objects have too many symbols");
  bool done = allocate(merged, symbols, text);
  char *next = done ? merged->objects->text : NULL;
  for (size_t i = 0; done && i < count; i++) append(merged, &objects[i], &next, &order);
  if (!done) gp_symtab_free(merged);
  return done || gp_fail_memory(error);
}

/* --- records --------------------------------------------------------------------- */

static bool add_histograms(gp_data *sum, const gp_merged_object *object,
                           gp_error *error) {
  const gp_data *data = object->data;
  for (size_t i = 0; i < data->histogram_count; i++) {
    gp_histogram moved = data->histograms[i];
    moved.low += object->slide;
    moved.high += object->slide;
    if (!gp_data_add_histogram(sum, &moved, error)) return false;
  }
  return true;
}

/* Adds an arc if both ends are within the object, or its caller is unknown. */
static bool add_arc(gp_data *sum, const gp_merged_object *object, size_t arc,
                    gp_error *error) {
  const gp_data *data = object->data;
  uint64_t from = data->arcs.from[arc], self = data->arcs.self[arc];
  if (self >= object->end || (from == GP_OUTSIDE && data->shared)) return true;
  if (from != gp_unknown_caller(data->layout)) {
    if (from >= object->end) return true;
    from += object->slide;
  }
  return gp_data_add_arc(sum, from, self + object->slide, data->arcs.calls[arc],
                         GP_NO_OFFSET, error);
}

bool gp_merged_objects_add(gp_data *sum, const gp_merged_object *object,
                           gp_error *error) {
  const gp_data *data = object->data;
  const gp_blocks *blocks = &data->blocks;
  if (!add_histograms(sum, object, error)) return false;
  for (size_t i = 0; i < data->arcs.count; i++)
    if (!add_arc(sum, object, i, error)) return false;
  for (size_t i = 0; i < blocks->count; i++)
    if (blocks->address[i] < object->end &&
        !gp_data_add_block(sum, blocks->address[i] + object->slide, blocks->executions[i],
                           GP_NO_OFFSET, error))
      return false;
  sum->has_arcs = sum->has_arcs || data->has_arcs;
  return true;
}
