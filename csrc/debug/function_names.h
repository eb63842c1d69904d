/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of functions, and where they are declared, by their entries in .debug_info.
 *
 * A function has its linkage name, or else its name. Both may be in other entries, to
 * which DW_AT_abstract_origin and DW_AT_specification lead: in the same unit, in another
 * one, or in the supplementary file.
 */
#ifndef GP_DEBUG_FUNCTION_NAMES_H
#define GP_DEBUG_FUNCTION_NAMES_H

#include "debug/entries.h"
#include "debug/source_names.h"

/* A function without a place of its own, in a structure that has one. */
typedef struct gp_member {
  uint64_t offset;            /* of the function's entry */
  uint32_t unit, file, line;  /* where the structure is declared */
} gp_member;

typedef struct gp_function_names {
  gp_entries *entries;
  gp_entries *supplementary;  /* entries of the supplementary file, or NULL */
  gp_source_names *names;     /* the caller's */
  /* per function whose name was looked up */
  size_t count, capacity;
  uint64_t *offset;           /* of its entry */
  bool *shared;               /* whether the entry is in the supplementary file */
  uint32_t *name;             /* number of its name, or GP_NONE */
  uint32_t *unit;             /* of `entries`, in which it is declared; or GP_NONE */
  uint32_t *file, *line;      /* where it is declared: a number in the unit's table of
                                 files; GP_NONE and 0 if unknown */
  uint64_t *last;             /* the last entry that its references lead to, which may
                                 be a member's; UINT64_MAX if it has a linkage name, or
                                 if that entry is in another file */
  gp_hash index;
  size_t member_count, member_capacity;
  gp_member *member;          /* by offset */
} gp_function_names;

/* Initializes an empty set, whose address must not change afterwards. */
void gp_function_names_init(gp_function_names *functions, gp_entries *entries,
                            gp_entries *supplementary, gp_source_names *names);
void gp_function_names_free(gp_function_names *functions);

/* Sets `*row` to the row of the function of a subprogram or an inlined subroutine. The
 * entry must be in the loaded unit. False if there is no memory. */
bool gp_function_names_find(gp_function_names *functions, const gp_entry *entry,
                            uint32_t *row);

/* Adds a member. The offsets must ascend. False if there is no memory. */
bool gp_function_names_add_member(gp_function_names *functions, gp_member member);

/* Gives functions without a place the places of the structures that they are in. All that
 * gcc says of the place of a lambda expression is that of its structure. */
void gp_function_names_place_members(gp_function_names *functions);

#endif
