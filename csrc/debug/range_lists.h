/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code of an entry: DW_AT_low_pc and DW_AT_high_pc, or a list of ranges in
 * .debug_ranges or .debug_rnglists.
 */
#ifndef GP_DEBUG_RANGE_LISTS_H
#define GP_DEBUG_RANGE_LISTS_H

#include "base/range.h"
#include "debug/units.h"

typedef struct gp_range_lists {
  gp_dwarf *dwarf;
  bool zero_has_code;       /* whether code at address 0 is not discarded code */
  uint64_t budget;          /* bytes of lists that may still be read */
  size_t count, capacity;
  gp_range *range;          /* the ranges that were read last */
  bool damaged;             /* some of these ranges could not be read */
} gp_range_lists;

void gp_range_lists_init(gp_range_lists *lists, gp_dwarf *dwarf,
                         bool zero_has_code);
void gp_range_lists_free(gp_range_lists *lists);

/* Reads the ranges of an entry from the values of its attributes; each may be missing.
 * Leaves out empty ranges, and ranges of code that a linker discarded. A damaged list
 * ends where the damage begins. False if there is no memory. */
bool gp_range_lists_read(gp_range_lists *lists, const gp_unit *unit, gp_value low,
                         gp_value high, gp_value ranges);

/* Sets `*meet` to whether a unit may have code in one of the `count` ranges `wanted`,
 * which are ascending and disjoint. Some units have code and do not say where: those of
 * DWARF 2 with several sections of code, and those with damaged lists. False if there is
 * no memory. */
bool gp_range_lists_meet(gp_range_lists *lists, const gp_unit *unit,
                         const gp_range *wanted, size_t count, bool *meet);

#endif
