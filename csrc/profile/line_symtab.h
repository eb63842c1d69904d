/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbol table of a profile by line.
 *
 * It contains the symbols of functions, and a further symbol wherever the file, the line
 * or the innermost inlined function changes. A function's own symbol covers the code of
 * its first line. Each other symbol covers the code of its line, and has the name of the
 * function that the line is from. Addresses with unknown source do not begin a symbol.
 *
 * Looking up the inlined function at an address is the most expensive query of debugging
 * information, and a profile has records for few lines. So only lines with records get
 * symbols, unless all are requested. A symbol before omitted lines then extends over
 * these lines. This is harmless, because they have no samples.
 *
 * On request, a symbol also begins wherever the chain of inlined functions changes.
 */
#ifndef GP_PROFILE_LINE_SYMTAB_H
#define GP_PROFILE_LINE_SYMTAB_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"

typedef struct gp_line_symtab_options {
  bool all;          /* make symbols for all lines */
  bool named;        /* look up inlined functions in all lines. Otherwise, lines without
                        records get the name of the function that contains their code */
  bool chains;       /* keep the chains of inlined functions, in the column of lines */
} gp_line_symtab_options;

/* Builds the table from the table of functions, under the same policy. The table of
 * functions and the image must outlive the new table. If sources are unknown
 * (`sourceless`), there are no symbols for lines. Errors: no memory. */
bool gp_line_symtab_build(gp_symtab *symtab, const gp_symtab *functions,
                          const gp_image *image, const gp_data *data,
                          const gp_line_symtab_options *options, gp_error *error);

#endif
