/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The entries of .debug_info: in sequence through a unit, or by offset.
 *
 * One unit is in memory at a time. Of an entry, only the attributes of subprograms and
 * inlined subroutines are kept, and where structures are declared.
 */
#ifndef GP_DEBUG_ENTRIES_H
#define GP_DEBUG_ENTRIES_H

#include "debug/abbreviations.h"

typedef struct gp_entry {
  uint64_t offset;           /* in .debug_info */
  unsigned tag;              /* 0: the end of a list of children */
  bool has_children;
  gp_value value[GP_ROLES];  /* by role: GP_ROLE_SIBLING, and all others of subprograms
                                and inlined subroutines; of structures, where they are
                                declared. Offsets count from the start of
                                the section */
} gp_entry;

typedef struct gp_entries {
  gp_dwarf *dwarf;
  size_t count, capacity;
  gp_unit *unit;             /* all units, by offset */
  bool incomplete;           /* the list of units is damaged, and ends there */
  gp_abbreviations abbreviations;
  uint32_t loaded;           /* the unit in memory, or GP_NONE */
  uint32_t table;            /* its table of abbreviations */
  unsigned char *bytes;
  size_t room;
  gp_cursor cursor;          /* the part of the unit that was not read yet */
  uint64_t budget;           /* bytes that may still be read out of sequence */
} gp_entries;

/* Reads the list of units. False if there is no memory; the entries must be freed even
 * then. The address of `entries` must not change afterwards. */
bool gp_entries_open(gp_entries *entries, gp_dwarf *dwarf);
void gp_entries_free(gp_entries *entries);

/* Loads a unit, and goes to its first entry. A unit that cannot be read has no entries.
 * False if there is no memory. */
bool gp_entries_load(gp_entries *entries, uint32_t unit);

/* Reads the next entry of the loaded unit. False at the end, and where the unit is
 * damaged. */
bool gp_entries_next(gp_entries *entries, gp_entry *entry);

/* Whether damage was found in the unit that was loaded last. */
bool gp_entries_damaged(const gp_entries *entries);

/* Skips the children of an entry that was just read, if it says where they end. Returns
 * whether it does. */
bool gp_entries_skip_children(gp_entries *entries, const gp_entry *entry);

/* Reads the entry at an offset in .debug_info, and sets `*unit` to its unit. Does not
 * change what gp_entries_next returns. False if there is no such entry, or if there is no
 * memory (see gp_dwarf_no_memory). */
bool gp_entries_at(gp_entries *entries, uint64_t offset, uint32_t *unit, gp_entry *entry);

#endif
