/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of abbreviations: the tag and the attributes of each kind of entry.
 *
 * Each table of .debug_abbrev is parsed once for each layout of units, when a unit first
 * needs it. Attributes that have no meaning here are dropped if they take no bytes in the
 * entries, and are joined to one if their size is fixed. So an entry of a type or a
 * variable is skipped in few steps.
 */
#ifndef GP_DEBUG_ABBREVIATIONS_H
#define GP_DEBUG_ABBREVIATIONS_H

#include "base/hash.h"
#include "debug/units.h"

enum { GP_TAG_STRUCTURE = 0x13, GP_TAG_INLINED = 0x1d, GP_TAG_SUBPROGRAM = 0x2e };

/* What an attribute means here. GP_ROLE_SIBLING, where the children of an entry end, is
 * only known of inlined subroutines, and of entries that cannot contain subprograms. */
typedef enum gp_role {
  GP_ROLE_NAME, GP_ROLE_LINKAGE_NAME, GP_ROLE_LOW, GP_ROLE_HIGH, GP_ROLE_RANGES,
  GP_ROLE_ORIGIN, GP_ROLE_SPECIFICATION, GP_ROLE_CALL_FILE, GP_ROLE_CALL_LINE,
  GP_ROLE_DECL_FILE, GP_ROLE_DECL_LINE, GP_ROLE_DISCRIMINATOR, GP_ROLE_SIBLING,
  GP_ROLES,
  GP_ROLE_NONE = GP_ROLES
} gp_role;

/* The form of attributes that are skipped together. */
#define GP_FORM_SKIPPED 0xffff

typedef struct gp_attribute {
  int64_t implicit;    /* the value, for DW_FORM_implicit_const; the number of bytes, for
                          GP_FORM_SKIPPED */
  uint16_t form;
  uint8_t role;
} gp_attribute;

typedef struct gp_abbreviation {
  uint64_t code;
  uint32_t table;      /* number of its table */
  uint32_t first, end; /* its attributes */
  uint16_t tag;
  bool has_children;
} gp_abbreviation;

typedef struct gp_abbreviations {
  gp_dwarf *dwarf;
  uint64_t budget;     /* bytes of tables that may still be parsed */
  size_t count, capacity;
  gp_abbreviation *row;
  gp_hash by_code;     /* rows whose codes are not consecutive, from 1 */
  size_t attribute_count, attribute_capacity;
  gp_attribute *attribute;
  size_t table_count, table_capacity;
  uint64_t *offset;    /* for each table: its offset in .debug_abbrev, */
  uint64_t *layout;    /* the layout of its units, */
  uint32_t *first;     /* and its first row */
  uint32_t *end;
  gp_hash tables;      /* tables by offset and layout */
} gp_abbreviations;

/* Initializes an empty set, whose address must not change afterwards. */
void gp_abbreviations_init(gp_abbreviations *set, gp_dwarf *dwarf);
void gp_abbreviations_free(gp_abbreviations *set);

/* Sets `*table` to the number of a unit's table; parses the table if it is new. A damaged
 * table ends where the damage begins. False if there is no memory. */
bool gp_abbreviations_open(gp_abbreviations *set, const gp_unit *unit, uint32_t *table);

/* Returns the abbreviation with a code; NULL if there is none. */
const gp_abbreviation *gp_abbreviations_find(const gp_abbreviations *set, uint32_t table,
                                             uint64_t code);

#endif
