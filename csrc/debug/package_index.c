/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of a package of split files. */
#include "debug/package_index.h"

#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* The sections that an index may name. 8 is .debug_rnglists since version 5. */
enum { SECTION_info = 1, SECTION_abbrev = 3, SECTION_str_offsets = 6,
       SECTION_rnglists = 8 };

typedef struct package_index {
  gp_entries *entries;
  const unsigned char *bytes;
  gp_layout layout;
  uint64_t columns, rows, slots;
  uint64_t ids, numbers, sections, offsets;  /* where the tables begin in `bytes` */
} package_index;

/* Reads the header. False if the tables exceed the section. */
static bool open_index(package_index *index, gp_section *section) {
  index->bytes = gp_section_all(section);
  if (!index->bytes || section->size < 16) return false;
  index->columns = gp_u32(index->bytes + 4, index->layout);
  index->rows = gp_u32(index->bytes + 8, index->layout);
  index->slots = gp_u32(index->bytes + 12, index->layout);
  index->ids = 16;
  index->numbers = index->ids + 8 * index->slots;
  index->sections = index->numbers + 4 * index->slots;
  index->offsets = index->sections + 4 * index->columns;
  return index->columns <= 16 &&
         index->offsets + 4 * index->columns * index->rows <= section->size;
}

static uint64_t take(const package_index *index, uint64_t table, uint64_t place) {
  return gp_u32(index->bytes + table + 4 * place, index->layout);
}

/* Returns where a unit's part of a section begins; 0 if the package has no such
 * section. */
static uint64_t part_of(const package_index *index, uint64_t row, unsigned section) {
  for (uint64_t i = 0; i < index->columns; i++)
    if (take(index, index->sections, i) == section)
      return take(index, index->offsets, row * index->columns + i);
  return 0;
}

static bool begins_before(const void *units, size_t row, uint64_t offset) {
  return ((const gp_unit *)units)[row].offset < offset;
}

static void apply(const package_index *index, uint64_t slot, bool *applied) {
  gp_entries *entries = index->entries;
  uint64_t number = take(index, index->numbers, slot);
  if (number == 0 || number > index->rows) return;
  uint64_t row = number - 1, offset = part_of(index, row, SECTION_info);
  size_t i = gp_search(entries->unit, 0, entries->count, offset, begins_before);
  if (i == entries->count || entries->unit[i].offset != offset || applied[i]) return;
  gp_unit *unit = &entries->unit[i];
  applied[i] = true;
  unit->id = gp_u64(index->bytes + index->ids + 8 * slot, index->layout);
  unit->abbreviations += part_of(index, row, SECTION_abbrev);
  unit->layout.str_offsets_base += part_of(index, row, SECTION_str_offsets);
  if (unit->layout.version >= 5)
    unit->layout.rnglists_base += part_of(index, row, SECTION_rnglists);
}

bool gp_package_index_apply(const gp_image *package, gp_entries *entries) {
  gp_section section;
  package_index index = {.entries = entries, .layout = package->layout};
  bool *applied = gp_column(entries->count, sizeof *applied);
  gp_section_open(&section, package, ".debug_cu_index");
  if (applied && open_index(&index, &section))
    for (uint64_t slot = 0; slot < index.slots; slot++) apply(&index, slot, applied);
  bool done = applied && !section.no_memory;
  free(applied);
  gp_section_free(&section);
  return done;
}
