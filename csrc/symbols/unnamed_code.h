/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that no symbol names, in stripped programs and libraries. Its functions are known
 * from call frame information, and named by their addresses: "<program+0x1234>". All
 * other code is one function, "<program>", not a part of the function before it.
 */
#ifndef GP_SYMBOLS_UNNAMED_CODE_H
#define GP_SYMBOLS_UNNAMED_CODE_H

#include "base/range.h"
#include "symbols/symtab.h"

/* Where the functions of an image are. */
typedef struct gp_unnamed_code {
  gp_range *ranges;  /* ascending and disjoint; NULL if there are none */
  size_t count;
} gp_unnamed_code;

/* Reads the functions of a stripped image, whose symbols are the dynamic ones; there are
 * none for other images. False if there is no memory. */
bool gp_unnamed_code_read(gp_unnamed_code *code, const gp_image *image);
void gp_unnamed_code_free(gp_unnamed_code *code);

/* A walk through the parts of a range without symbols. */
typedef struct gp_unnamed_part {
  gp_range range;    /* the part */
  bool is_function;  /* it has a name of its own */
} gp_unnamed_part;

/* Takes the first part of a range, which becomes shorter. `part` is the result. False if
 * the range is empty. */
bool gp_unnamed_code_next(const gp_unnamed_code *code, gp_range *range,
                          gp_unnamed_part *part);

/* Writes the name of the function at an address of a file, to at most
 * gp_unnamed_code_room bytes. Returns one past its NUL. */
char *gp_unnamed_code_name(char *text, const char *file, uint64_t address);

/* Returns the bytes for the names of all functions of a file, and that of its other
 * code. */
size_t gp_unnamed_code_room(const gp_unnamed_code *code, const char *file);

/* Adds the code between the functions of a table, which may be empty (see `gaps` in
 * gp_symtab_options). `name` is that of the program. Errors: no memory. */
bool gp_unnamed_code_add(gp_symtab *symtab, const gp_image *image, const char *name,
                         gp_error *error);

#endif
