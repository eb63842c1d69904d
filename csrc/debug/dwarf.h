/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The debugging sections of an image, and the encoding of values in them.
 *
 * This is the part of DWARF 2 to 5 that line tables and inlined functions need. Sections,
 * forms, attributes and their encodings are defined in chapter 7 of the DWARF Debugging
 * Information Format, version 5. Forms named GNU are extensions of GCC.
 */
#ifndef GP_DEBUG_DWARF_H
#define GP_DEBUG_DWARF_H

#include "debug/cursor.h"
#include "object/section.h"

typedef struct gp_dwarf {
  gp_layout layout;
  bool signed_addresses;  /* 4-byte addresses are sign-extended, as on MIPS */
  uint64_t isa_bit;       /* 1 if bit 0 of an address selects the instruction set; or 0 */
  gp_section info, abbrev, line, str, line_str, str_offsets;  /* .debug_info ... */
  gp_section addr, ranges, rnglists;
  gp_section sup_str;     /* .debug_str of the supplementary file; empty without one */
  uint64_t string_budget; /* bytes of strings that may still be read, and of file names
                             that may still be joined */
} gp_dwarf;

/* Whether an image has debugging information in a format that libbfd reads. */
bool gp_has_debug_info(const gp_image *image);

/* Opens the sections. False if libbfd must be used instead: the image has no DWARF, is
 * not ELF, is not linked, or also has debugging information in an older format. */
bool gp_dwarf_open(gp_dwarf *dwarf, const gp_image *image);
void gp_dwarf_free(gp_dwarf *dwarf);

/* Opens the sections of a supplementary file. */
void gp_dwarf_open_supplementary(gp_dwarf *dwarf, const gp_image *supplementary);

/* Opens the sections of a split file: its own, and those that are in the image. */
void gp_dwarf_open_split(gp_dwarf *dwarf, const gp_image *split, const gp_image *image);

/* Whether memory ran out during a read. Data that could not be read then appears to be
 * absent. */
bool gp_dwarf_no_memory(const gp_dwarf *dwarf);

/* The parameters of a unit that decide how its values are encoded. */
typedef struct gp_unit_layout {
  unsigned version;
  unsigned address_size;     /* bytes: 1 to 8 */
  bool wide;                 /* 64-bit DWARF */
  /* offsets of the unit's parts of .debug_str_offsets, .debug_addr and .debug_rnglists */
  uint64_t str_offsets_base, addr_base, rnglists_base;
  uint64_t ranges_base;      /* in a split unit: added to offsets in .debug_ranges */
} gp_unit_layout;

/* The kind of a value: a number, an address, a reference, or the location of a
 * string. */
typedef enum gp_value_kind {
  GP_VALUE_NONE,      /* skipped: never needed here */
  GP_VALUE_NUMBER,
  GP_VALUE_ADDRESS,
  GP_VALUE_ADDRESS_INDEX,  /* an index into .debug_addr */
  GP_VALUE_RANGES_INDEX,   /* a list of ranges, by its index in .debug_rnglists */
  GP_VALUE_NEAR_ENTRY,     /* an entry, by its offset from the start of its unit */
  GP_VALUE_ENTRY,          /* an entry, by its offset in .debug_info */
  GP_VALUE_SUP_ENTRY,      /* an entry in .debug_info of the supplementary file */
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

/* The size in bytes of each value of form `form`; 0 if sizes differ, or are unknown. */
uint64_t gp_dwarf_size(uint64_t form, const gp_unit_layout *unit);

/* Sets `*address` to the address that a value gives. False if the value is not an
 * address, or cannot be read. */
bool gp_dwarf_address(gp_dwarf *dwarf, const gp_unit_layout *unit, gp_value value,
                      uint64_t *address);

/* Extends an address of `size` bytes, as read, to 64 bits. */
static inline uint64_t gp_dwarf_extend(const gp_dwarf *dwarf, size_t size,
                                       uint64_t address) {
  return size == 4 && dwarf->signed_addresses ? (uint64_t)(int64_t)(int32_t)address
                                              : address;
}

/* Returns a copy (free() it) of the string that a value refers to. NULL if the value is
 * not a string, if the string cannot be read, or if there is no memory. `home` is the
 * section that holds inline strings. */
char *gp_dwarf_string(gp_dwarf *dwarf, gp_section *home, const gp_unit_layout *unit,
                      gp_value value);

#endif
