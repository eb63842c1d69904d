/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The debugging sections of an image, and the forms that values have in them.
 *
 * As much of DWARF 2 to 5 as line tables need. Names of sections, forms and attributes,
 * and how they are encoded: the DWARF Debugging Information Format, version 5, chapter 7;
 * those of GNU's from GCC.
 */
#ifndef GP_DEBUG_DWARF_H
#define GP_DEBUG_DWARF_H

#include "debug/cursor.h"
#include "object/section.h"

typedef struct gp_dwarf {
  gp_layout layout;
  bool signed_addresses;  /* those of 4 bytes are sign-extended, as on MIPS */
  gp_section info, abbrev, line, text, line_text, text_offsets;
  gp_section shared_text; /* text in the file that several images share, if it is there */
} gp_dwarf;

/* Whether an image has debugging information, of any kind that libbfd looks into. */
bool gp_dwarf_is_there(const gp_image *image);

/* Opens the sections. False if the image has no DWARF, or none that can be asked in place
 * of libbfd: it is no ELF file, not linked yet, or has debugging information of another
 * kind, too. */
bool gp_dwarf_open(gp_dwarf *dwarf, const gp_image *image);
void gp_dwarf_free(gp_dwarf *dwarf);

/* Whether anything could not be read for want of memory: then it looks as if it was not
 * there. */
bool gp_dwarf_no_memory(const gp_dwarf *dwarf);

/* What values of a unit's are read with. */
typedef struct gp_unit_layout {
  unsigned version;
  unsigned address_size;    /* bytes: 1 to 8 */
  bool wide;                /* 64-bit DWARF */
  uint64_t text_offsets;    /* the unit's part of .debug_str_offsets */
} gp_unit_layout;

/* A value: a number, or where a text is. */
typedef enum gp_value_kind {
  GP_VALUE_NONE,      /* of no interest; it has been passed over */
  GP_VALUE_NUMBER,
  GP_VALUE_INLINE,    /* text in the section that is read, as far from its start, or from
                         the cursor's as it comes from gp_dwarf_value */
  GP_VALUE_TEXT,      /* text in .debug_str */
  GP_VALUE_LINE_TEXT, /* text in .debug_line_str */
  GP_VALUE_INDEXED,   /* text by its number in .debug_str_offsets */
  GP_VALUE_ELSEWHERE  /* text in another file */
} gp_value_kind;

typedef struct gp_value {
  gp_value_kind kind;
  uint64_t number;    /* or the offset */
} gp_value;

/* Reads a value of that form; `implicit` is the one that the abbreviation holds. False if
 * the form is unknown: how long the value is, is not known either. */
bool gp_dwarf_value(gp_cursor *cursor, uint64_t form, const gp_unit_layout *unit,
                    int64_t implicit, gp_value *value);

/* A copy (free() it) of the text of a value, or NULL if that is none. `home` is the
 * section that inline text is in. */
char *gp_dwarf_text(gp_dwarf *dwarf, gp_section *home, const gp_unit_layout *unit,
                    gp_value value);

#endif
