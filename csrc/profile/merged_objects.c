/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges a program and shared libraries into one symbol table and one sum. */
#include "profile/merged_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/code_ends.h"

/* Alignment of the start of each object: the largest page size. */
#define ALIGNMENT ((uint64_t)1 << 16)

/* --- addresses ----------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool is_whole(const gp_merged_object *object) {
  return object->whole.low < object->whole.high;
}

/* Returns one past the last address covered by a symbol or a histogram of an object. */
static uint64_t end_of(const gp_merged_object *object) {
  const gp_symtab *symtab = object->symtab;
  uint64_t end = object->whole.high;
  if (symtab && symtab->count > 0) {
    uint64_t last = symtab->address[symtab->count - 1];
    end = larger(end, larger(symtab->text_high, last < UINT64_MAX ? last + 1 : last));
  }
  for (size_t i = 0; object->data && i < object->data->histogram_count; i++)
    end = larger(end, object->data->histograms[i].high);
  return end;
}

/* Assigns each object its own range of addresses. */
static bool place(gp_merged_object *objects, size_t count, gp_error *error) {
  uint64_t next = 0;
  for (size_t i = 0; i < count; i++) {
    objects[i].slide = next;
    objects[i].end = end_of(&objects[i]);
    objects[i].unnamed = next + objects[i].end;
    /* next + end, rounded up, must not overflow */
    if (objects[i].end > UINT64_MAX - 2 * ALIGNMENT - next)
      return gp_fail(error, "the address space is too small for all objects");
    next = (next + objects[i].end + ALIGNMENT) & ~(ALIGNMENT - 1);
  }
  return true;
}

/* --- symbols ------------------------------------------------------------------- */

/* Allocates columns for `count` symbols and `parts` objects, and `text` bytes for
 * names. */
static bool allocate(gp_symtab *merged, size_t count, size_t parts, size_t text) {
  gp_symtab_objects *objects = merged->objects = gp_column(1, sizeof *objects);
  if (!objects) return false;
  merged->address = gp_column(count, sizeof *merged->address);
  merged->name = gp_column(count, sizeof *merged->name);
  merged->flags = gp_column(count, sizeof *merged->flags);
  merged->order = gp_column(count, sizeof *merged->order);
  merged->owner = gp_column(count, sizeof *merged->owner);
  merged->end = gp_column(count, sizeof *merged->end);
  objects->name = gp_column(count, sizeof *objects->name);
  objects->object = gp_column(parts, sizeof *objects->object);
  objects->text = gp_column(text, 1);
  return merged->address && merged->name && merged->flags && merged->order &&
         merged->owner && merged->end && objects->name && objects->object &&
         objects->text;
}

static size_t symbol_count(const gp_merged_object *object) {
  return object->symtab ? object->symtab->count : 0;
}

/* Returns the bytes needed for the names of an object's symbols. */
static size_t name_bytes(const gp_merged_object *object) {
  if (!object->name) return 0;
  size_t name = strlen(object->name) + 1;
  size_t bytes = name + gp_unnamed_code_room(&object->code, object->name);
  for (size_t s = 0; s < symbol_count(object); s++)
    bytes += strlen(object->symtab->name[s]) + 1 + name;
  return bytes;
}

/* The table that is built. */
typedef struct merging {
  gp_symtab *merged;
  char *text;             /* where the next name is stored */
  uint32_t order;         /* one past the highest `order` of earlier objects */
  uint32_t *rows;         /* for each symbol of the object: its row */
} merging;

/* Stores the concatenation of three strings. */
static const char *join(merging *m, const char *first, size_t length, const char *second,
                        const char *third) {
  char *start = m->text;
  if (length > 0) memcpy(start, first, length);
  /* all names are known: NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
  m->text = stpcpy(stpcpy(start + length, second), third) + 1;
  return start;
}

/* Appends a row for the addresses `low` to `high` - 1 of an object. */
static uint32_t append_row(merging *m, const gp_merged_object *object, uint64_t low,
                           uint64_t high, const char *name, const char *library) {
  gp_symtab *merged = m->merged;
  uint32_t row = (uint32_t)merged->count++;
  merged->address[row] = low + object->slide;
  merged->end[row] = high - 1 + object->slide;
  merged->objects->name[row] = library;
  merged->name[row] = name;
  merged->order[row] = m->order;
  merged->owner[row] = row;
  merged->flags[row] = GP_FUNCTION | GP_STATIC;
  return row;
}

/* Appends the symbol `s` of an object, which ends before `end`. */
static void append_symbol(merging *m, const gp_merged_object *object, uint32_t s,
                          uint64_t end, const char *library) {
  const gp_symtab *symtab = object->symtab;
  const char *name = symtab->name[s];
  /* names in libraries can have symbol versions, "read@@GLIBC_2.2.5" */
  size_t length = is_whole(object) ? strcspn(name, "@") : strlen(name);
  if (library) name = join(m, name, length, "@", library);
  uint32_t row = append_row(m, object, symtab->address[s], end, name, library);
  m->merged->order[row] += symtab->order[s];
  m->merged->flags[row] = symtab->flags[s];
  m->rows[s] = row;
}

static void append_symbols(merging *m, const gp_merged_object *object,
                           const char *library) {
  const gp_symtab *symtab = object->symtab;
  for (uint32_t s = 0; s < symtab->count; s++) {
    uint64_t last = gp_symtab_end(symtab, s);
    append_symbol(m, object, s, s == symtab->outside ? symtab->address[s] + 1 : last + 1,
                  library);
  }
}

/* Appends rows for code without symbols. `name` is that of code outside functions. */
static void append_unnamed(merging *m, const gp_merged_object *object, gp_range rest,
                           const char *name, const char *library) {
  gp_unnamed_part part;
  while (gp_unnamed_code_next(&object->code, &rest, &part)) {
    const char *own = m->text;
    if (part.is_function)
      m->text = gp_unnamed_code_name(m->text, object->name, part.range.low);
    append_row(m, object, part.range.low, part.range.high, part.is_function ? own : name,
               library);
  }
}

/* Appends the symbols of a whole library, and rows for the code between them. */
static void append_whole(merging *m, const gp_merged_object *object,
                         const char *library) {
  const gp_symtab *symtab = object->symtab;
  gp_symtab *merged = m->merged;
  const char *name = join(m, "<", 1, library, ">");
  uint32_t first = (uint32_t)merged->count;
  uint64_t covered = object->whole.low, high = object->whole.high;
  uint32_t count = (uint32_t)symbol_count(object);
  if (count > 0 && symtab->outside == count - 1) m->rows[--count] = GP_NONE;
  for (uint32_t s = 0; s < count; s++) {
    uint64_t low = symtab->address[s];
    append_unnamed(m, object, (gp_range){covered, low}, name, library);
    covered = gp_code_end(symtab, object->ends, s, count, high);
    append_symbol(m, object, s, covered, library);
  }
  append_unnamed(m, object, (gp_range){covered, high}, name, library);
  uint32_t unnamed = append_row(m, object, object->end, object->end + 1, name, library);
  for (uint32_t row = first; row < unnamed; row++)
    if (merged->name[row] == name) merged->owner[row] = unnamed;
}

static void append(merging *m, const gp_merged_object *object) {
  const gp_symtab *symtab = object->symtab;
  const char *library = object->name ? join(m, object->name, strlen(object->name), "", "")
                                     : NULL;
  gp_symtab_objects *objects = m->merged->objects;
  objects->object[objects->count++] = (gp_symtab_object){library, object->slide};
  if (is_whole(object))
    append_whole(m, object, library);
  else
    append_symbols(m, object, library);
  for (uint32_t s = 0; s < symbol_count(object); s++)  /* functions own cold parts */
    if (m->rows[s] != GP_NONE)
      m->merged->owner[m->rows[s]] = m->rows[gp_symtab_owner(object->symtab, s)];
  uint32_t highest = 0;
  for (uint32_t s = 0; s < symbol_count(object); s++)
    if (symtab->order[s] > highest) highest = symtab->order[s];
  m->order += highest + 1;
  m->merged->text_high = object->slide + (symtab ? symtab->text_high : object->end);
}

static bool append_all(gp_symtab *merged, const gp_merged_object *objects, size_t count,
                       size_t most) {
  uint32_t *rows = gp_column(most, sizeof *rows);
  merging m = {.merged = merged, .text = merged->objects->text, .rows = rows};
  if (!rows) return false;
  for (size_t i = 0; i < count; i++) append(&m, &objects[i]);
  free(rows);
  return true;
}

bool gp_merged_objects_build(gp_symtab *merged, gp_merged_object *objects, size_t count,
                             gp_error *error) {
  size_t rows = 0, text = 1, most = 0;
  memset(merged, 0, sizeof *merged);
  merged->outside = GP_NONE;
  merged->policy = &gp_policy_default;
  merged->trace = objects[0].symtab->trace;
  merged->sourceless = objects[0].symtab->sourceless;
  if (!place(objects, count, error)) return false;
  for (size_t i = 0; i < count; i++) {
    /* code without a symbol can be before and after each symbol */
    size_t symbols = symbol_count(&objects[i]);
    rows += is_whole(&objects[i]) ? 2 * (symbols + objects[i].code.count) + 2 : symbols;
    text += name_bytes(&objects[i]);
    if (symbols > most) most = symbols;
  }
  if (rows >= UINT32_MAX / 4) return gp_fail(error, "the objects have too many symbols");
  bool done = allocate(merged, rows, count, text) &&
              append_all(merged, objects, count, most);
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
