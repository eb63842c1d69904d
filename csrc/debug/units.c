/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of .debug_info. */
#include "debug/units.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* How many bytes of a unit are read. The header and the first entry usually fit in the
 * smaller window; only long inline strings need more. The larger window is the limit. */
#define USUAL_WINDOW 512
#define MAX_WINDOW 65536

enum { TAG_compile_unit = 0x11, TAG_skeleton_unit = 0x4a };
enum { UNIT_type = 2, UNIT_skeleton = 4, UNIT_split_compile, UNIT_split_type };
enum {
  AT_stmt_list = 0x10, AT_low_pc, AT_high_pc, AT_comp_dir = 0x1b, AT_ranges = 0x55,
  AT_str_offsets_base = 0x72, AT_addr_base, AT_rnglists_base, AT_dwo_name = 0x76,
  AT_GNU_dwo_name = 0x2130, AT_GNU_dwo_id, AT_GNU_ranges_base, AT_GNU_addr_base
};
enum { FORM_implicit_const = 0x21 };

/* How many bytes of .debug_abbrev all searches may read in total. A unit either has its
 * own abbreviation table, or its first entry uses one of the first abbreviations of a
 * shared table. So valid files need about as many bytes as .debug_abbrev and .debug_info
 * contain together. */
static uint64_t initial_budget(const gp_dwarf *dwarf) {
  return 16 * (dwarf->abbrev.size + dwarf->info.size) + 1048576;
}

bool gp_units_open(gp_units *units, gp_dwarf *dwarf) {
  memset(units, 0, sizeof *units);
  units->dwarf = dwarf;
  units->budget = initial_budget(dwarf);
  units->abbrev = gp_section_all(&dwarf->abbrev);
  return !dwarf->abbrev.no_memory;
}

void gp_units_free(gp_units *units) {
  free(units->window);
  memset(units, 0, sizeof *units);
}

/* --- abbreviations ------------------------------------------------------------- */

/* Reads the next attribute of an abbreviation; false after the last. */
static bool next_attribute(gp_cursor *abbrev, uint64_t *attribute, uint64_t *form,
                           int64_t *implicit) {
  *attribute = gp_take_uleb(abbrev);
  *form = gp_take_uleb(abbrev);
  *implicit = *form == FORM_implicit_const ? gp_take_sleb(abbrev) : 0;
  return !abbrev->bad && (*attribute || *form);
}

/* Charges the budget for the bytes before the cursor. */
static void charge(gp_units *units, const gp_cursor *abbrev) {
  uint64_t read = (uint64_t)(abbrev->at - abbrev->start);
  units->budget -= read < units->budget ? read : units->budget;
}

/* Finds an abbreviation in the table at `offset`. Sets `*tag`, and the cursor to its
 * attributes. */
static bool find_abbreviation(gp_units *units, uint64_t offset, uint64_t code,
                              uint64_t *tag, gp_cursor *abbrev) {
  uint64_t size = units->dwarf->abbrev.size, found = 0, attribute, form;
  int64_t implicit;
  if (offset >= size || code == 0) return false;
  const unsigned char *table = units->abbrev + offset;
  *abbrev = gp_cursor_on(table, (size_t)(size - offset), units->dwarf->layout);
  while (units->budget > (uint64_t)(abbrev->at - table) &&
         (found = gp_take_uleb(abbrev)) != 0) {
    *tag = gp_take_uleb(abbrev);
    gp_take_u8(abbrev);  /* whether it has children */
    if (found == code) break;
    while (next_attribute(abbrev, &attribute, &form, &implicit)) continue;
  }
  charge(units, abbrev);
  abbrev->start = abbrev->at;
  return units->budget > 0 && found == code && !abbrev->bad;
}

/* --- units --------------------------------------------------------------------- */

static void take_attribute(gp_unit *unit, uint64_t attribute, gp_value value) {
  gp_unit_layout *layout = &unit->layout;
  switch (attribute) {
    case AT_stmt_list:
      unit->has_lines |= value.kind == GP_VALUE_NUMBER;
      unit->lines = value.number;
      break;
    case AT_low_pc: unit->low = value; break;
    case AT_high_pc: unit->high = value; break;
    case AT_ranges: unit->ranges = value; break;
    case AT_comp_dir:
      unit->directory = value;
      unit->split |= value.kind == GP_VALUE_SUP_STR;
      break;
    case AT_dwo_name:
    case AT_GNU_dwo_name:
      unit->split = true;
      unit->split_file = value;
      break;
    case AT_GNU_dwo_id: unit->id = value.number; break;
    case AT_GNU_ranges_base: unit->split_ranges_base = value.number; break;
    case AT_str_offsets_base: layout->str_offsets_base = value.number; break;
    case AT_rnglists_base: layout->rnglists_base = value.number; break;
    case AT_addr_base:
    case AT_GNU_addr_base: layout->addr_base = value.number; break;
    default: break;
  }
}

/* Reads the first entry of a unit, at the cursor. */
static void read_entry(gp_units *units, gp_unit *unit, gp_cursor *cursor) {
  gp_cursor abbrev;
  uint64_t tag, attribute, form;
  int64_t implicit;
  if (!find_abbreviation(units, unit->abbreviations, gp_take_uleb(cursor), &tag, &abbrev))
    return;
  unit->has_code = tag == TAG_compile_unit || tag == TAG_skeleton_unit;
  while (next_attribute(&abbrev, &attribute, &form, &implicit)) {
    gp_value value;
    if (!gp_dwarf_value(cursor, form, &unit->layout, implicit, &value)) break;
    if (cursor->bad) break;
    take_attribute(unit, attribute, value);
  }
  charge(units, &abbrev);
}

/* Reads the header after the length. */
static void read_header(gp_unit *unit, gp_cursor *cursor) {
  gp_unit_layout *layout = &unit->layout;
  uint8_t type = 0;
  layout->wide = cursor->wide;
  layout->version = gp_take_u16(cursor);
  if (layout->version >= 5) {
    type = gp_take_u8(cursor);
    layout->address_size = gp_take_u8(cursor);
    unit->abbreviations = gp_take_offset(cursor);
    layout->str_offsets_base = cursor->wide ? 16 : 8;
    if (type == UNIT_split_compile) layout->rnglists_base = cursor->wide ? 20 : 12;
  } else {
    unit->abbreviations = gp_take_offset(cursor);
    layout->address_size = gp_take_u8(cursor);
  }
  if (type == UNIT_type || type == UNIT_split_type) {
    gp_take(cursor, 8);  /* signature */
    gp_take_offset(cursor);
  } else if (type == UNIT_skeleton || type == UNIT_split_compile) {
    unit->id = gp_take_u64(cursor);
  }
}

/* Reads the first `size` bytes of the unit. */
static bool open_window(gp_units *units, size_t size, gp_cursor *cursor) {
  if (size > units->window_size) {
    if (!gp_section_room(&units->dwarf->info, &units->window, size, 1)) return false;
    units->window_size = size;
  }
  *cursor = gp_cursor_on(units->window, size, units->dwarf->layout);
  return gp_section_read(&units->dwarf->info, units->next, units->window, size);
}

/* Reads the unit through a window of `size` bytes and sets `*length` to the unit's
 * length. False if the window is too small, or if there is no valid unit; in the second
 * case the length is 0. */
static bool read_unit(gp_units *units, gp_unit *unit, size_t size, uint64_t *length) {
  gp_cursor cursor;
  memset(unit, 0, sizeof *unit);
  *length = 0;
  if (!open_window(units, size, &cursor)) return false;
  uint64_t claimed = gp_take_length(&cursor);
  uint64_t prefix = (uint64_t)(cursor.at - cursor.start);
  uint64_t left = units->dwarf->info.size - units->next - prefix;
  if (cursor.bad || claimed > left) return false;
  *length = prefix + claimed;
  if (*length < size) cursor.end = cursor.start + *length;
  read_header(unit, &cursor);
  unit->offset = units->next;
  unit->end = units->next + *length;
  unit->first_entry = units->next + (uint64_t)(cursor.at - cursor.start);
  if (unit->layout.version >= 2 && unit->layout.version <= 5)
    read_entry(units, unit, &cursor);
  if (unit->directory.kind == GP_VALUE_INLINE) unit->directory.number += units->next;
  if (unit->split_file.kind == GP_VALUE_INLINE) unit->split_file.number += units->next;
  return !cursor.bad;
}

bool gp_units_next(gp_units *units, gp_unit *unit) {
  uint64_t left = units->dwarf->info.size - units->next, length = 0;
  if (left == 0) return false;
  for (size_t size = USUAL_WINDOW; size <= MAX_WINDOW; size *= 2) {
    bool all = size >= left;
    size_t window = all ? (size_t)left : size;
    if (read_unit(units, unit, window, &length) || all || length <= size) break;
  }
  units->next += length;
  return length > 0;
}
