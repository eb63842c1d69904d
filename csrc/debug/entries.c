/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of .debug_info. */
#include "debug/entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* How many bytes of an entry in a unit that is not loaded are read. The larger window is
 * for long inline strings. */
#define USUAL_WINDOW 128
#define MAX_WINDOW 4096

/* Entries are read out of sequence for the names of functions, each perhaps once. */
#define MAX_READS 16
#define LEAST_READS (1 << 20)

static bool read_units(gp_entries *entries) {
  gp_units units;
  gp_unit unit;
  bool done = gp_units_open(&units, entries->dwarf);
  while (done && gp_units_next(&units, &unit)) {
    done = GP_RESERVE(&entries->capacity, entries->count + 1, GP_COLUMN(entries->unit));
    if (done) entries->unit[entries->count++] = unit;
  }
  entries->incomplete = units.next < entries->dwarf->info.size;
  gp_units_free(&units);
  return done && !gp_dwarf_no_memory(entries->dwarf);
}

bool gp_entries_open(gp_entries *entries, gp_dwarf *dwarf) {
  memset(entries, 0, sizeof *entries);
  entries->dwarf = dwarf;
  entries->loaded = GP_NONE;
  entries->budget = LEAST_READS + MAX_READS * dwarf->info.size;
  gp_abbreviations_init(&entries->abbreviations, dwarf);
  return read_units(entries);
}

void gp_entries_free(gp_entries *entries) {
  gp_abbreviations_free(&entries->abbreviations);
  free(entries->unit);
  free(entries->bytes);
  memset(entries, 0, sizeof *entries);
}

/* Whether the entries of a unit can be read. The size of an address must not be 0:
 * otherwise, attributes would take no bytes. */
static bool is_readable(const gp_unit *unit) {
  return unit->layout.version >= 2 && unit->layout.version <= 5 &&
         unit->layout.address_size > 0 && unit->first_entry <= unit->end;
}

static gp_cursor cursor_at(const gp_entries *entries, const gp_unit *unit,
                           const unsigned char *bytes, size_t size) {
  gp_cursor cursor = gp_cursor_on(bytes, size, entries->dwarf->layout);
  cursor.wide = unit->layout.wide;
  return cursor;
}

bool gp_entries_load(gp_entries *entries, uint32_t number) {
  const gp_unit *unit = &entries->unit[number];
  gp_section *info = &entries->dwarf->info;
  size_t size = (size_t)(unit->end - unit->offset);
  entries->loaded = GP_NONE;
  entries->cursor = (gp_cursor){0};
  if (!is_readable(unit)) return true;
  if (!gp_abbreviations_open(&entries->abbreviations, unit, &entries->table))
    return false;
  if (size > entries->room) {
    if (!gp_section_room(info, &entries->bytes, size, 1)) return false;
    entries->room = size;
  }
  if (!gp_section_read(info, unit->offset, entries->bytes, size)) return true;
  entries->loaded = number;
  entries->cursor = cursor_at(entries, unit, entries->bytes, size);
  gp_take(&entries->cursor, unit->first_entry - unit->offset);
  return true;
}

/* --- one entry ----------------------------------------------------------------- */

/* Makes a value's offset count from the start of the section. `base` is the offset of the
 * cursor's start. */
static void rebase(gp_value *value, const gp_unit *unit, uint64_t base) {
  if (value->kind == GP_VALUE_INLINE) {
    value->number += base;
  } else if (value->kind == GP_VALUE_NEAR_ENTRY) {
    value->kind = GP_VALUE_ENTRY;
    value->number += unit->offset;
  }
}

static bool read_attributes(const gp_entries *entries, gp_cursor *cursor,
                            const gp_unit *unit, const gp_abbreviation *abbreviation,
                            uint64_t base, gp_entry *entry) {
  const gp_attribute *all = entries->abbreviations.attribute;
  gp_value unused = {.kind = GP_VALUE_NONE};
  bool wanted = entry->tag == GP_TAG_SUBPROGRAM || entry->tag == GP_TAG_INLINED ||
                entry->tag == GP_TAG_STRUCTURE;
  if (wanted) memset(entry->value, 0, sizeof entry->value);
  entry->value[GP_ROLE_SIBLING].kind = GP_VALUE_NONE;
  for (uint32_t i = abbreviation->first; i < abbreviation->end; i++) {
    const gp_attribute *at = &all[i];
    if (at->form == GP_FORM_SKIPPED) {
      gp_take(cursor, (uint64_t)at->implicit);
      continue;
    }
    gp_value *value = at->role == GP_ROLE_NONE ? &unused : &entry->value[at->role];
    if (!gp_dwarf_value(cursor, at->form, &unit->layout, at->implicit, value))
      return false;
    rebase(value, unit, base);
  }
  return !cursor->bad;
}

/* Reads the entry at the cursor, whose start has the offset `base` in .debug_info. */
static bool read_entry(const gp_entries *entries, gp_cursor *cursor, const gp_unit *unit,
                       uint32_t table, uint64_t base, gp_entry *entry) {
  entry->offset = base + (uint64_t)(cursor->at - cursor->start);
  uint64_t code = gp_take_uleb(cursor);
  entry->tag = 0;
  if (cursor->bad || code == 0) return !cursor->bad;
  const gp_abbreviation *found =
      gp_abbreviations_find(&entries->abbreviations, table, code);
  if (!found) return false;
  entry->tag = found->tag ? found->tag : UINT16_MAX;
  entry->has_children = found->has_children;
  return read_attributes(entries, cursor, unit, found, base, entry);
}

bool gp_entries_next(gp_entries *entries, gp_entry *entry) {
  if (gp_left(&entries->cursor) == 0) return false;
  const gp_unit *unit = &entries->unit[entries->loaded];
  if (read_entry(entries, &entries->cursor, unit, entries->table, unit->offset, entry))
    return true;
  entries->cursor.bad = true;
  return false;
}

bool gp_entries_damaged(const gp_entries *entries) {
  return entries->loaded == GP_NONE || entries->cursor.bad;
}

bool gp_entries_skip_children(gp_entries *entries, const gp_entry *entry) {
  gp_value sibling = entry->value[GP_ROLE_SIBLING];
  gp_cursor *cursor = &entries->cursor;
  if (sibling.kind != GP_VALUE_ENTRY) return false;
  uint64_t place = sibling.number - entries->unit[entries->loaded].offset;
  if (place < (uint64_t)(cursor->at - cursor->start) ||
      place > (uint64_t)(cursor->end - cursor->start))
    return false;
  cursor->at = cursor->start + place;
  return true;
}

/* --- by offset ----------------------------------------------------------------- */

static bool ends_before(const void *units, size_t row, uint64_t offset) {
  return ((const gp_unit *)units)[row].end <= offset;
}

/* Reads an entry of a unit that is not loaded through a window of `size` bytes. */
static bool read_window(gp_entries *entries, const gp_unit *unit, uint64_t offset,
                        size_t size, gp_entry *entry) {
  unsigned char bytes[MAX_WINDOW];
  uint32_t table;
  if (unit->end - offset < size) size = (size_t)(unit->end - offset);
  if (size > entries->budget) return false;
  entries->budget -= size;
  if (!gp_abbreviations_open(&entries->abbreviations, unit, &table)) {
    entries->dwarf->info.no_memory = true;
    return false;
  }
  if (!gp_section_read(&entries->dwarf->info, offset, bytes, size)) return false;
  gp_cursor cursor = cursor_at(entries, unit, bytes, size);
  return read_entry(entries, &cursor, unit, table, offset, entry);
}

/* Reads an entry of the unit that is loaded. */
static bool read_loaded(gp_entries *entries, const gp_unit *unit, uint64_t offset,
                        gp_entry *entry) {
  gp_cursor cursor = entries->cursor;
  cursor.at = cursor.start + (offset - unit->offset);
  cursor.bad = false;
  const unsigned char *start = cursor.at;
  if (gp_left(&cursor) > entries->budget) cursor.end = start + entries->budget;
  bool done = read_entry(entries, &cursor, unit, entries->table, unit->offset, entry);
  entries->budget -= (uint64_t)(cursor.at - start);
  return done;
}

bool gp_entries_at(gp_entries *entries, uint64_t offset, uint32_t *number,
                   gp_entry *entry) {
  size_t row = gp_search(entries->unit, 0, entries->count, offset, ends_before);
  *number = (uint32_t)row;
  if (row == entries->count) return false;
  const gp_unit *unit = &entries->unit[row];
  if (offset < unit->first_entry || !is_readable(unit)) return false;
  if (row == entries->loaded) return read_loaded(entries, unit, offset, entry);
  return read_window(entries, unit, offset, USUAL_WINDOW, entry) ||
         read_window(entries, unit, offset, MAX_WINDOW, entry);
}
