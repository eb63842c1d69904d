/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges a program and shared libraries into one symbol table and one sum.
 *
 * Each object is moved to its own range of addresses, so the code that uses the merged
 * table need not handle several objects. The first object, the program, is not moved. The
 * name of the library is appended to the names of its functions, "work@libx.so", like a
 * symbol version; libbfd demangles the part before the @.
 */
#ifndef GP_PROFILE_MERGED_OBJECTS_H
#define GP_PROFILE_MERGED_OBJECTS_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"
#include "symbols/unnamed_code.h"

typedef struct gp_merged_object {
  const gp_symtab *symtab;    /* NULL if unknown */
  const gp_data *data;    /* NULL: the records are not added by gp_merged_objects_add */
  const char *name;       /* the library's name; NULL for the program */
  gp_range whole;         /* all addresses of the library. Code without a symbol is then
                             named after the library (see unnamed_code.h). Empty if such
                             code belongs to the symbol before it */
  uint64_t *ends;         /* where functions end (see code_ends.h); unused without
                             `whole` */
  gp_unnamed_code code;   /* unused without `whole` */
  /* the results of gp_merged_objects_build */
  uint64_t slide;         /* number added to all addresses of the object */
  uint64_t end;           /* one past the object's last address before it is moved */
  uint64_t unnamed;       /* the address of "<libx.so>", after it is moved */
} gp_merged_object;

/* Builds one table from the tables of all objects. The old tables must outlive the new
 * one. Sets `slide` and `end` of each object. Errors: the address space is too small; too
 * many symbols; no memory. */
bool gp_merged_objects_build(gp_symtab *merged, gp_merged_object *objects, size_t count,
                             gp_error *error);

/* Adds the records of an object to a sum with `mixed_scales`. Omits calls that leave or
 * enter the object: calls from GP_OUTSIDE in a shared library, and calls whose caller or
 * callee is outside the object. Unknown callers stay unknown. Errors: a different unit or
 * rate; no memory. */
bool gp_merged_objects_add(gp_data *sum, const gp_merged_object *object, gp_error *error);

#endif
