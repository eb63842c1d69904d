/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds possible calls that glibc's gmon.out does not record, in the program's file.
 *
 * Only functions that call mcount record their callers, and only callers in the program.
 * The survey finds the functions that do not call mcount, and those that code outside the
 * program may call: exported functions, and functions whose addresses occur in code or
 * data. If in doubt, a call counts as possible. It needs ELF files for x86-64.
 */
#ifndef GP_PROFILE_CODE_CODE_SURVEY_H
#define GP_PROFILE_CODE_CODE_SURVEY_H

#include "object/opcodes.h"
#include "profile/code/static_calls.h"
#include "symbols/symtab.h"

/* Flags of functions. */
enum {
  GP_INSTRUMENTED = 1,   /* calls mcount, which records its callers in the program */
  GP_EXPOSED = 2,        /* code outside the program may call it at any time */
  GP_STARTED = 4,        /* code outside the program calls it at the start: main, and
                            functions in .init_array */
  GP_CALLS_OUT = 8,      /* may call code outside the program, or an unknown address */
  GP_JUMPS_OUT = 16      /* may end with a jump to such code, which then returns to the
                            function's caller */
};

/* All symbols are functions of the table, as gp_code_functions maps them. */
typedef struct gp_code_survey {
  uint8_t *flags;        /* per symbol */
  gp_static_calls calls; /* calls in the code, to functions that do not record them */
  gp_static_calls jumps; /* jumps from one function to another: tail calls */
  gp_static_calls stub_calls, stub_jumps;  /* calls and jumps to stubs of the PLT; the
                            callee is the function to which the stub's samples count */
  size_t sites, site_capacity;
  uint64_t *site;        /* return addresses of all calls except those of mcount;
                            ascending */
  uint32_t *site_function;    /* the function that makes the call */
  bool stops_recording;  /* a function other than glibc's own calls moncontrol */
} gp_code_survey;

/* Returns, for each symbol, the function whose code the symbol covers: for a label or a
 * cold part, that is another symbol. NULL if there is no memory. */
uint32_t *gp_code_functions(const gp_symtab *symtab);

/* Surveys the image of a table. `function` is from gp_code_functions. Sets *problem, and
 * finds nothing, if the image cannot be surveyed. Errors: .text cannot be read; no
 * memory. */
bool gp_code_survey_make(gp_code_survey *found, const gp_image *image,
                         const gp_symtab *symtab, const uint32_t *function,
                         const gp_opcodes *opcodes, const char **problem,
                         gp_error *error);
void gp_code_survey_free(gp_code_survey *found);

#endif
