/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line tables of an image, each opened once. */
#include "debug/line_tables.h"

#include <string.h>

#include "base/array.h"

/* Valid tables are disjoint, but a table with a false length can overlap others. So the
 * total length of all tables is limited to this multiple of the section's size; further
 * tables are ignored. */
#define MAX_OVERLAP 8

static gp_key offset_key(const void *columns, uint32_t row) {
  const gp_line_tables *tables = columns;
  return (gp_key){tables->offset[row], 0};
}

bool gp_line_tables_open(gp_line_tables *tables, const gp_image *image, bool *readable) {
  memset(tables, 0, sizeof *tables);
  gp_hash_init(&tables->index, offset_key, tables);
  *readable = gp_dwarf_open(&tables->dwarf, image);
  gp_line_program_init(&tables->program, &tables->dwarf);
  gp_range_lists_init(&tables->lists, &tables->dwarf, image->text_low == 0);
  tables->budget = MAX_OVERLAP * tables->dwarf.line.size;
  return !*readable || gp_units_open(&tables->units, &tables->dwarf);
}

void gp_line_tables_free(gp_line_tables *tables) {
  gp_line_program_free(&tables->program);
  gp_range_lists_free(&tables->lists);
  gp_units_free(&tables->units);
  gp_dwarf_free(&tables->dwarf);
  gp_hash_free(&tables->index);
  free(tables->offset);
  memset(tables, 0, sizeof *tables);
}

void gp_line_tables_limit(gp_line_tables *tables, const gp_range *wanted, size_t count) {
  tables->wanted = wanted;
  tables->wanted_count = count;
}

static bool add_offset(gp_line_tables *tables, uint64_t offset) {
  if (tables->count >= GP_NONE - 1 ||
      !GP_RESERVE(&tables->capacity, tables->count + 1, GP_COLUMN(tables->offset)))
    return false;
  tables->offset[tables->count++] = offset;
  return gp_hash_add(&tables->index, (uint32_t)tables->count - 1);
}

/* Sets `*is` to whether a unit has a table that is wanted and new. */
static bool has_next(gp_line_tables *tables, const gp_unit *unit, bool *is) {
  gp_key key = {unit->lines, 0};
  *is = unit->has_lines && gp_hash_find(&tables->index, key) == GP_NONE;
  if (!*is || !tables->wanted) return true;
  bool done = gp_range_lists_meet(&tables->lists, unit, tables->wanted,
                                  tables->wanted_count, is);
  tables->skipped |= !*is;
  return done;
}

static bool open_next(gp_line_tables *tables, bool *failed) {
  gp_unit unit;
  bool is_next;
  *failed = false;
  while (tables->units.dwarf && gp_units_next(&tables->units, &unit)) {
    tables->unlike_libbfd |= unit.split;
    *failed = !has_next(tables, &unit, &is_next) ||
              (is_next && !add_offset(tables, unit.lines));
    if (*failed) return false;
    if (!is_next) continue;
    bool opened = gp_line_program_open(&tables->program, &unit);
    uint64_t size = gp_line_program_size(&tables->program);
    if (size > tables->budget) return false;
    tables->budget -= size;
    if (!opened) continue;
    tables->unlike_libbfd |= gp_line_program_mixes_offsets(&tables->program);
    return true;
  }
  return false;
}

bool gp_line_tables_next(gp_line_tables *tables, bool *failed) {
  bool opened = open_next(tables, failed);
  *failed |= gp_dwarf_no_memory(&tables->dwarf);
  return opened && !*failed;
}
