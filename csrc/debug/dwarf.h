/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The debugging sections of an image, and the encoding of values in them.
 *
 * This is the part of DWARF 2 to 5 that line tables need. Sections, forms, attributes and
 * their encodings are defined in chapter 7 of the DWARF Debugging Information Format,
 * version 5. Forms named GNU are extensions of GCC.
 */
#ifndef GP_DEBUG_DWARF_H
#define GP_DEBUG_DWARF_H

#include "debug/cursor.h"
#include "object/section.h"

typedef struct gp_dwarf {
  gp_layout layout;
  bool signed_addresses;  /* 4-byte addresses are sign-extended, as on MIPS */
  gp_section info, abbrev, line, str, line_str, str_offsets;  /* .debug_info ... */
  gp_section sup_str;     /* .debug_str of the supplementary file; empty without one */
  uint64_t name_budget;   /* bytes of file names that may still be read and joined */
} gp_dwarf;

/* Whether an image has debugging information in a format that libbfd reads. */
bool gp_has_debug_info(const gp_image *image);

/* Opens the sections. False if libbfd must be used instead: the image has no DWARF, is
 * not ELF, is not linked, or also has debugging information in an older format. */
bool gp_dwarf_open(gp_dwarf *dwarf, const gp_image *image);
void gp_dwarf_free(gp_dwarf *dwarf);

/* Whether memory ran out during a read. Data that could not be read then appears to be
 * absent. */
bool gp_dwarf_no_memory(const gp_dwarf *dwarf);

/* The parameters of a unit that decide how its values are encoded. */
typedef struct gp_unit_layout {
  unsigned version;
  unsigned address_size;     /* bytes: 1 to 8 */
  bool wide;                 /* 64-bit DWARF */
  uint64_t str_offsets_base; /* offset of the unit's part of .debug_str_offsets */
} gp_unit_layout;

/* The kind of a value: a number, or the location of a string. */
typedef enum gp_value_kind {
  GP_VALUE_NONE,      /* skipped: never needed here */
  GP_VALUE_NUMBER,
  GP_VALUE_INLINE,    /* a string in the section that is being read. gp_dwarf_value gives
                         the offset from the cursor's start; gp_dwarf_string takes the
                         offset from the start of the section */
  GP_VALUE_STR,       /* a string in .debug_str */
  GP_VALUE_LINE_STR,  /* a string in .debug_line_str */
  GP_VALUE_INDEXED,   /* a string, by its index into .debug_str_offsets */
  GP_VALUE_SUP_STR    /* a string in .debug_str of the supplementary file */
} gp_value_kind;

typedef struct gp_value {
  gp_value_kind kind;
  uint64_t number;    /* the number, the offset or the index */
} gp_value;

/* Reads a value of form `form`. `implicit` is the value in the abbreviation, for
 * DW_FORM_implicit_const. False if the form, and so the value's length, is unknown. */
bool gp_dwarf_value(gp_cursor *cursor, uint64_t form, const gp_unit_layout *unit,
                    int64_t implicit, gp_value *value);

/* Returns a copy (free() it) of the string that a value refers to. NULL if the value is
 * not a string, if the string cannot be read, or if there is no memory. `home` is the
 * section that holds inline strings. */
char *gp_dwarf_string(gp_dwarf *dwarf, gp_section *home, const gp_unit_layout *unit,
                    gp_value value);

#endif
