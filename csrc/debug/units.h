/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The units of .debug_info: where the line table of each is.
 *
 * A unit is known by its first entry, and nothing else of it is read: however much the
 * debugging information says of types and variables, it costs nothing here.
 */
#ifndef GP_DEBUG_UNITS_H
#define GP_DEBUG_UNITS_H

#include "debug/dwarf.h"

typedef struct gp_unit {
  gp_unit_layout layout;
  bool has_lines;       /* the unit has a line table, */
  uint64_t lines;       /*   at this offset of .debug_line */
  gp_value directory;   /* text: the directory it was compiled in */
  bool split;           /* some of it is in another file: */
  gp_value aside;       /*   text: the name of the one that the compiler put it into */
} gp_unit;

/* An iteration over the units. */
typedef struct gp_units {
  gp_dwarf *dwarf;
  uint64_t next;            /* offset of the next unit */
  unsigned char *abbrev;    /* all of .debug_abbrev */
  uint64_t patience;        /* so many bytes of it will still be looked through */
  unsigned char *window;    /* the beginning of the unit */
  size_t window_size;
} gp_units;

/* False if there is no memory. */
bool gp_units_open(gp_units *units, gp_dwarf *dwarf);
void gp_units_free(gp_units *units);

/* The next unit, in the order of the section. False at the end, which is also where the
 * section is damaged. */
bool gp_units_next(gp_units *units, gp_unit *unit);

#endif
