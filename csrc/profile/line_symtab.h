/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols of a profile by line.
 *
 * A symbol table in which the functions' symbols have others between them: one wherever
 * file, line or function (the innermost inlined one) change from one instruction to the
 * next. A function's own symbol reaches as far as the code of its first line; each of
 * the others as far as that of its line, and bears the name of the function that the
 * line is of. Addresses of which the source is not known change nothing.
 *
 * Few of all lines of a program are seen in a profile, and to find out which function
 * was inlined at an address is the costliest question to debugging information that
 * there is. So only lines that something was recorded of get a symbol of their own,
 * unless all are asked for. (The symbols between them then reach too far, which does
 * not show: no sample falls in them.)
 */
#ifndef GP_PROFILE_LINE_SYMTAB_H
#define GP_PROFILE_LINE_SYMTAB_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"

typedef struct gp_line_symtab_options {
  bool all;          /* symbols for all lines */
  bool named;        /* all lines are told apart by their functions, too. Otherwise those
                        that nothing was recorded of bear the name of the function that
                        their code was inlined in */
} gp_line_symtab_options;

/* Makes the table out of that of functions, by the same policy. Both that one and the
 * image must outlive it. Where symbols have no source (sourceless) it is
 * that of the functions. */
bool gp_line_symtab_build(gp_symtab *symtab, const gp_symtab *functions,
                          const gp_image *image, const gp_data *data,
                          const gp_line_symtab_options *options, gp_error *error);

#endif
