/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program and shared libraries as one.
 *
 * Each object is moved to a range of addresses of its own, so that their symbols make one
 * table and their records one sum, of which the later stages know no more than of those
 * of a program. The first object, the program, stays where it is. Names of a library's
 * functions get that of the library appended, "work@libx.so", as versions are written;
 * libbfd demangles them as what stands before the @.
 */
#ifndef GP_PROFILE_MERGED_OBJECTS_H
#define GP_PROFILE_MERGED_OBJECTS_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"

typedef struct gp_merged_object {
  const gp_symtab *symtab;
  const gp_data *data;
  const char *name;       /* of a library; NULL for the program */
  /* set by gp_merged_objects_build */
  uint64_t slide;         /* what its addresses are moved by */
  uint64_t end;           /* one past the last of its own addresses, before that */
} gp_merged_object;

/* Makes one table of those of all objects, which have to outlive it, and says where they
 * are moved to. Errors: there are not enough addresses, or symbols are too many. */
bool gp_merged_objects_build(gp_symtab *merged, gp_merged_object *objects, size_t count,
                             gp_error *error);

/* Adds the records of an object to a sum of `mixed_scales`, but for those calls that are
 * not within the object: from GP_OUTSIDE in a shared library, or of what is not in it.
 * Unknown callers stay unknown.
 * Errors: they count another unit, or at another rate. */
bool gp_merged_objects_add(gp_data *sum, const gp_merged_object *object, gp_error *error);

#endif
