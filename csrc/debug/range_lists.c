/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of an entry. */
#include "debug/range_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Usually, each list belongs to one entry. Many entries can claim one long list, so the
 * total length of all lists is limited to this multiple of the sections' sizes. */
#define MAX_OVERLAP 16

enum { RLE_end_of_list, RLE_base_addressx, RLE_startx_endx, RLE_startx_length,
       RLE_offset_pair, RLE_base_address, RLE_start_end, RLE_start_length };

void gp_range_lists_init(gp_range_lists *lists, gp_dwarf *dwarf, bool zero_has_code) {
  memset(lists, 0, sizeof *lists);
  lists->dwarf = dwarf;
  lists->zero_has_code = zero_has_code;
  lists->budget = MAX_OVERLAP * (dwarf->ranges.size + dwarf->rnglists.size);
}

void gp_range_lists_free(gp_range_lists *lists) {
  free(lists->range);
  memset(lists, 0, sizeof *lists);
}

/* The state of reading one list. */
typedef struct reading {
  gp_range_lists *lists;
  const gp_unit *unit;
  gp_cursor cursor;
  uint64_t base;         /* base address */
  uint64_t most;         /* the highest address */
  bool discarded;        /* the code at the base address was discarded */
  bool failed;           /* there is no memory */
} reading;

/* Linkers set the addresses of discarded code to 0, or to one of the two highest
 * addresses. */
static bool is_discarded(const reading *r, uint64_t low) {
  return low >= r->most - 1 || (low == 0 && !r->lists->zero_has_code);
}

static void add(reading *r, uint64_t low, uint64_t high) {
  uint64_t mask = r->most & ~r->lists->dwarf->isa_bit;
  low &= mask;
  high &= mask;
  if (low >= high || is_discarded(r, low)) return;
  gp_range_lists *lists = r->lists;
  if (GP_RESERVE(&lists->capacity, lists->count + 1, GP_COLUMN(lists->range)))
    lists->range[lists->count++] = (gp_range){low, high};
  else
    r->failed = true;
}

static void set_base(reading *r, uint64_t base) {
  r->base = base;
  r->discarded = base >= r->most - 1;
}

static void add_from_base(reading *r, uint64_t low, uint64_t high) {
  if (!r->discarded) add(r, r->base + low, r->base + high);
}

static uint64_t take_address(reading *r) {
  size_t size = r->unit->layout.address_size;
  return gp_dwarf_extend(r->lists->dwarf, size, gp_take_uint(&r->cursor, size));
}

/* Reads an index into .debug_addr. The address is 0, that of discarded code, if there is
 * no such entry. */
static uint64_t take_indexed(reading *r) {
  uint64_t address;
  gp_value index = {GP_VALUE_ADDRESS_INDEX, gp_take_uleb(&r->cursor)};
  bool found = gp_dwarf_address(r->lists->dwarf, &r->unit->layout, index, &address);
  return found ? address : 0;
}

/* Reads an entry of .debug_ranges. False at the end of the list. */
static bool read_pair(reading *r) {
  uint64_t low = take_address(r), high = take_address(r);
  if (r->cursor.bad || (low == 0 && high == 0)) return false;
  if ((low & r->most) == r->most)
    set_base(r, high);
  else
    add_from_base(r, low, high);
  return true;
}

/* Reads an entry of .debug_rnglists. False at the end of the list. */
static bool read_kind(reading *r) {
  gp_cursor *cursor = &r->cursor;
  uint64_t low;
  switch (gp_take_u8(cursor)) {
    case RLE_base_addressx: set_base(r, take_indexed(r)); break;
    case RLE_startx_endx: low = take_indexed(r); add(r, low, take_indexed(r)); break;
    case RLE_startx_length:
      low = take_indexed(r);
      add(r, low, low + gp_take_uleb(cursor));
      break;
    case RLE_offset_pair:
      low = gp_take_uleb(cursor);
      add_from_base(r, low, gp_take_uleb(cursor));
      break;
    case RLE_base_address: set_base(r, take_address(r)); break;
    case RLE_start_end: low = take_address(r); add(r, low, take_address(r)); break;
    case RLE_start_length:
      low = take_address(r);
      add(r, low, low + gp_take_uleb(cursor));
      break;
    case RLE_end_of_list: return false;
    default: r->lists->damaged = true; return false;
  }
  return !cursor->bad;
}

/* Sets `*offset` to the offset of the list with an index. */
static bool find_list(gp_dwarf *dwarf, const gp_unit *unit, uint64_t index,
                      uint64_t *offset) {
  unsigned char bytes[8];
  size_t size = unit->layout.wide ? 8 : 4;
  uint64_t base = unit->layout.rnglists_base;
  if (index > dwarf->rnglists.size / size ||
      !gp_section_read(&dwarf->rnglists, base + index * size, bytes, size))
    return false;
  *offset = base + (size == 8 ? gp_u64(bytes, dwarf->layout)
                              : gp_u32(bytes, dwarf->layout));
  return true;
}

static void read_list(reading *r, gp_section *section, uint64_t offset,
                      bool next(reading *)) {
  const unsigned char *bytes = gp_section_all(section);
  r->lists->damaged = !bytes || offset >= section->size;
  if (r->lists->damaged) return;
  uint64_t left = section->size - offset;
  if (left > r->lists->budget) left = r->lists->budget;
  r->cursor = gp_cursor_on(bytes + offset, (size_t)left, r->lists->dwarf->layout);
  while (!r->failed && next(r)) continue;
  r->lists->budget -= (uint64_t)(r->cursor.at - r->cursor.start);
  r->lists->damaged |= r->cursor.bad;
}

static bool is_address(gp_value value) {
  return value.kind == GP_VALUE_ADDRESS || value.kind == GP_VALUE_ADDRESS_INDEX;
}

/* Reads the range from `low` to `high`, which is an address or a length. */
static void read_bounds(reading *r, gp_value low, gp_value high) {
  uint64_t from, to;
  const gp_unit_layout *layout = &r->unit->layout;
  if (!gp_dwarf_address(r->lists->dwarf, layout, low, &from))
    r->lists->damaged = high.kind != GP_VALUE_NONE;
  else if (high.kind == GP_VALUE_NUMBER)
    add(r, from, from + high.number);
  else if (is_address(high) && gp_dwarf_address(r->lists->dwarf, layout, high, &to))
    add(r, from, to);
  else
    r->lists->damaged = is_address(high);
}

bool gp_range_lists_read(gp_range_lists *lists, const gp_unit *unit, gp_value low,
                         gp_value high, gp_value ranges) {
  gp_dwarf *dwarf = lists->dwarf;
  size_t size = unit->layout.address_size;
  reading r = {.lists = lists, .unit = unit,
               .most = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX};
  if (dwarf->signed_addresses) r.most = UINT64_MAX;
  lists->count = 0;
  lists->damaged = false;
  if (ranges.kind == GP_VALUE_NONE) {
    read_bounds(&r, low, high);
    return !r.failed;
  }
  uint64_t base;
  set_base(&r, gp_dwarf_address(dwarf, &unit->layout, unit->low, &base) ? base : 0);
  uint64_t offset = ranges.number;
  if (ranges.kind == GP_VALUE_RANGES_INDEX &&
      !find_list(dwarf, unit, ranges.number, &offset)) {
    lists->damaged = true;
    return true;
  }
  if (unit->layout.version >= 5)
    read_list(&r, &dwarf->rnglists, offset, read_kind);
  else
    read_list(&r, &dwarf->ranges, offset + unit->layout.ranges_base, read_pair);
  return !r.failed;
}

bool gp_range_lists_meet(gp_range_lists *lists, const gp_unit *unit,
                         const gp_range *wanted, size_t count, bool *meet) {
  *meet = false;
  if (!unit->has_code) return true;
  if (!gp_range_lists_read(lists, unit, unit->low, unit->high, unit->ranges))
    return false;
  bool says_where = unit->ranges.kind != GP_VALUE_NONE ||
                    unit->high.kind != GP_VALUE_NONE;
  *meet = !says_where || lists->damaged;
  for (size_t i = 0; i < lists->count && !*meet; i++)
    *meet = gp_range_meets(wanted, count, lists->range[i]);
  return true;
}
