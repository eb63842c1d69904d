/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of abbreviations: the tag and the attributes of each kind of entry. */
#include "debug/abbreviations.h"

#include <string.h>

#include "base/array.h"

/* Valid tables are disjoint, and rarely shared by units of different layouts. Units can
 * claim that tables begin anywhere, so the total length of all tables is limited to this
 * multiple of the section's size. */
#define MAX_OVERLAP 4

enum { FORM_flag_present = 0x19, FORM_implicit_const = 0x21 };
enum {
  TAG_enumeration_type = 0x04, TAG_subroutine_type = 0x15, TAG_call_site = 0x48,
  TAG_GNU_call_site = 0x4109
};
enum {
  AT_sibling = 0x01, AT_name = 0x03, AT_low_pc = 0x11, AT_high_pc = 0x12,
  AT_abstract_origin = 0x31, AT_decl_file = 0x3a, AT_decl_line = 0x3b,
  AT_specification = 0x47, AT_ranges = 0x55,
  AT_call_file = 0x58, AT_call_line = 0x59, AT_linkage_name = 0x6e,
  AT_MIPS_linkage_name = 0x2007, AT_GNU_discriminator = 0x2136
};

static gp_key table_key(const void *columns, uint32_t table) {
  const gp_abbreviations *set = columns;
  return (gp_key){set->offset[table], set->layout[table]};
}

static gp_key code_key(const void *columns, uint32_t row) {
  const gp_abbreviation *found = &((const gp_abbreviations *)columns)->row[row];
  return (gp_key){found->code, found->table};
}

void gp_abbreviations_init(gp_abbreviations *set, gp_dwarf *dwarf) {
  memset(set, 0, sizeof *set);
  set->dwarf = dwarf;
  set->budget = MAX_OVERLAP * dwarf->abbrev.size;
  gp_hash_init(&set->by_code, code_key, set);
  gp_hash_init(&set->tables, table_key, set);
}

void gp_abbreviations_free(gp_abbreviations *set) {
  gp_hash_free(&set->by_code);
  gp_hash_free(&set->tables);
  free(set->row);
  free(set->attribute);
  free(set->offset);
  free(set->layout);
  free(set->first);
  free(set->end);
  memset(set, 0, sizeof *set);
}

static gp_role role_of(uint64_t attribute) {
  switch (attribute) {
    case AT_sibling: return GP_ROLE_SIBLING;
    case AT_name: return GP_ROLE_NAME;
    case AT_linkage_name:
    case AT_MIPS_linkage_name: return GP_ROLE_LINKAGE_NAME;
    case AT_low_pc: return GP_ROLE_LOW;
    case AT_high_pc: return GP_ROLE_HIGH;
    case AT_ranges: return GP_ROLE_RANGES;
    case AT_abstract_origin: return GP_ROLE_ORIGIN;
    case AT_specification: return GP_ROLE_SPECIFICATION;
    case AT_call_file: return GP_ROLE_CALL_FILE;
    case AT_call_line: return GP_ROLE_CALL_LINE;
    case AT_decl_file: return GP_ROLE_DECL_FILE;
    case AT_decl_line: return GP_ROLE_DECL_LINE;
    case AT_GNU_discriminator: return GP_ROLE_DISCRIMINATOR;
    default: return GP_ROLE_NONE;
  }
}

/* Whether a role matters in entries with a tag. */
static bool is_needed(uint64_t tag, gp_role role) {
  if (role == GP_ROLE_NONE) return false;
  switch (tag) {
    case GP_TAG_INLINED: return true;
    case GP_TAG_SUBPROGRAM: return role != GP_ROLE_SIBLING;
    case GP_TAG_STRUCTURE: return role == GP_ROLE_DECL_FILE || role == GP_ROLE_DECL_LINE;
    case TAG_enumeration_type:
    case TAG_subroutine_type:
    case TAG_call_site:
    case TAG_GNU_call_site: return role == GP_ROLE_SIBLING;
    default: return false;
  }
}

/* Joins an attribute that is skipped to the last one of the abbreviation whose attributes
 * begin at `first`. False if it cannot be joined. */
static bool join(gp_abbreviations *set, uint32_t first, gp_attribute added) {
  if (set->attribute_count == first || added.form != GP_FORM_SKIPPED) return false;
  gp_attribute *last = &set->attribute[set->attribute_count - 1];
  if (last->form != GP_FORM_SKIPPED) return false;
  last->implicit += added.implicit;
  return true;
}

/* Adds an attribute. A value in the abbreviation replaces an earlier one of the same
 * role, whose place is in `places`. False if there is no memory. */
static bool add_attribute(gp_abbreviations *set, uint32_t *places, gp_attribute added) {
  bool implicit = added.form == FORM_implicit_const;
  if (implicit && places[added.role] != GP_NONE) {
    set->attribute[places[added.role]] = added;
    return true;
  }
  if (!GP_RESERVE(&set->attribute_capacity, set->attribute_count + 1,
                  GP_COLUMN(set->attribute)))
    return false;
  if (implicit) places[added.role] = (uint32_t)set->attribute_count;
  set->attribute[set->attribute_count++] = added;
  return true;
}

/* Reads the attributes of entries with a tag. Sets `*damaged` if they do not end. False
 * if there is no memory. */
static bool read_attributes(gp_abbreviations *set, gp_cursor *cursor, uint64_t tag,
                            const gp_unit_layout *layout, bool *damaged) {
  uint32_t places[GP_ROLES], first = (uint32_t)set->attribute_count;
  memset(places, 0xff, sizeof places);
  while (!cursor->bad) {
    gp_role role = role_of(gp_take_uleb(cursor));
    uint64_t form = gp_take_uleb(cursor);
    int64_t implicit = form == FORM_implicit_const ? gp_take_sleb(cursor) : 0;
    if (form == 0 || cursor->bad) break;
    if (form == FORM_flag_present) continue;
    if (!is_needed(tag, role)) role = GP_ROLE_NONE;
    if (form == FORM_implicit_const && role == GP_ROLE_NONE) continue;
    gp_attribute added = {implicit, form < GP_FORM_SKIPPED ? (uint16_t)form : 0,
                          (uint8_t)role};
    uint64_t size = role == GP_ROLE_NONE ? gp_dwarf_size(form, layout) : 0;
    if (size > 0) added = (gp_attribute){(int64_t)size, GP_FORM_SKIPPED, GP_ROLE_NONE};
    if (!join(set, first, added) && !add_attribute(set, places, added)) return false;
  }
  *damaged = cursor->bad;
  return true;
}

/* Reads the next abbreviation. Sets `*more` if another one may follow. False if there is
 * no memory. */
static bool read_abbreviation(gp_abbreviations *set, gp_cursor *cursor,
                              const gp_unit_layout *layout, bool *more) {
  bool damaged = true;
  uint64_t code = gp_take_uleb(cursor), tag = gp_take_uleb(cursor);
  bool has_children = gp_take_u8(cursor) != 0;
  *more = false;
  if (code == 0 || cursor->bad) return true;
  if (!GP_RESERVE(&set->capacity, set->count + 1, GP_COLUMN(set->row))) return false;
  uint32_t first = (uint32_t)set->attribute_count, row = (uint32_t)set->count;
  if (!read_attributes(set, cursor, tag, layout, &damaged)) return false;
  if (damaged) return true;
  set->row[row] = (gp_abbreviation){
      code, (uint32_t)set->table_count - 1, first, (uint32_t)set->attribute_count,
      tag <= UINT16_MAX ? (uint16_t)tag : 0, has_children};
  set->count++;
  *more = true;
  bool is_consecutive = set->row[row].code == row - set->first[set->row[row].table] + 1;
  return is_consecutive ||
         gp_hash_find(&set->by_code, code_key(set, row)) != GP_NONE ||
         gp_hash_add(&set->by_code, row);
}

static bool parse(gp_abbreviations *set, const gp_unit *unit) {
  const unsigned char *bytes = gp_section_all(&set->dwarf->abbrev);
  uint64_t size = set->dwarf->abbrev.size, offset = unit->abbreviations;
  uint64_t left = bytes && offset < size ? size - offset : 0;
  if (left > set->budget) left = set->budget;
  if (left == 0) return true;
  gp_cursor cursor = gp_cursor_on(bytes + offset, (size_t)left, set->dwarf->layout);
  bool done = true, more = true;
  while (done && more) done = read_abbreviation(set, &cursor, &unit->layout, &more);
  set->budget -= (uint64_t)(cursor.at - cursor.start);
  return done;
}

bool gp_abbreviations_open(gp_abbreviations *set, const gp_unit *unit, uint32_t *table) {
  const gp_unit_layout *layout = &unit->layout;  /* decides the sizes of values */
  gp_key key = {unit->abbreviations, (uint64_t)layout->address_size << 2 |
                                     (uint64_t)layout->wide << 1 |
                                     (layout->version == 2)};
  *table = gp_hash_find(&set->tables, key);
  if (*table != GP_NONE) return true;
  if (!GP_RESERVE(&set->table_capacity, set->table_count + 1, GP_COLUMN(set->offset),
                  GP_COLUMN(set->layout), GP_COLUMN(set->first), GP_COLUMN(set->end)))
    return false;
  *table = (uint32_t)set->table_count++;
  set->offset[*table] = key.first;
  set->layout[*table] = key.second;
  set->first[*table] = (uint32_t)set->count;
  bool done = parse(set, unit) && gp_hash_add(&set->tables, *table);
  set->end[*table] = (uint32_t)set->count;
  return done;
}

const gp_abbreviation *gp_abbreviations_find(const gp_abbreviations *set, uint32_t table,
                                             uint64_t code) {
  uint32_t first = set->first[table];
  if (code > 0 && code <= set->end[table] - first) {
    const gp_abbreviation *found = &set->row[first + code - 1];
    if (found->code == code) return found;
  }
  uint32_t row = gp_hash_find(&set->by_code, (gp_key){code, table});
  return row == GP_NONE ? NULL : &set->row[row];
}
