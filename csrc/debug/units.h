/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The units of .debug_info: their code, and the location of their line tables.
 *
 * Only the first entry of a unit is read, so entries for types and variables cost no
 * time.
 */
#ifndef GP_DEBUG_UNITS_H
#define GP_DEBUG_UNITS_H

#include "debug/dwarf.h"

typedef struct gp_unit {
  gp_unit_layout layout;
  uint64_t offset, end;    /* the unit's bytes in .debug_info */
  uint64_t first_entry;    /* offset of its first entry */
  uint64_t abbreviations;  /* offset of its table in .debug_abbrev */
  uint64_t id;             /* of a split unit and its skeleton; else 0 */
  uint64_t split_ranges_base;  /* of a skeleton: `ranges_base` of its split unit */
  bool has_code;           /* false for partial units and type units */
  gp_value low, high, ranges;  /* DW_AT_low_pc, DW_AT_high_pc, DW_AT_ranges */
  bool has_lines;       /* the unit has a line table */
  uint64_t lines;       /* offset of the line table in .debug_line */
  gp_value directory;   /* string: the directory in which the unit was compiled */
  bool split;           /* part of the unit is in another file */
  gp_value split_file;  /* string: the name of its -gsplit-dwarf file, if any */
} gp_unit;

/* An iteration over the units. */
typedef struct gp_units {
  gp_dwarf *dwarf;
  uint64_t next;            /* offset of the next unit */
  const unsigned char *abbrev;  /* all of .debug_abbrev */
  uint64_t budget;          /* bytes of .debug_abbrev that may still be read */
  unsigned char *window;    /* the first bytes of the unit */
  size_t window_size;
} gp_units;

/* Begins an iteration. False if there is no memory; gp_units_free must be called even
 * then. */
bool gp_units_open(gp_units *units, gp_dwarf *dwarf);
void gp_units_free(gp_units *units);

/* Reads the next unit of the section. False at the end, or if the section is damaged. */
bool gp_units_next(gp_units *units, gp_unit *unit);

#endif
