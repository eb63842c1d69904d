/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols from text files.
 *
 * A symbol file is the output of nm, or /proc/kallsyms: each line is "ADDRESS TYPE NAME".
 * A map is the output of nm --print-file-name: each line begins with "OBJECT:", the file
 * that defines the symbol.
 */
#ifndef GP_SYMBOLS_SYMFILE_H
#define GP_SYMBOLS_SYMFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "symbols/policy.h"

/* Symbols in the order of the lines, in columns. Strings point into `text`. */
typedef struct gp_symfile {
  bool map;
  const gp_policy *policy;  /* policy under which the file was read */
  gp_text text;
  size_t count, capacity;
  uint64_t *address;
  char *type;            /* nm's letter: T global text, t local text ... */
  const char **name;
  const char **object;   /* for each line of a map: the object file. NULL for a symbol
                            file */
} gp_symfile;

/* Reads a symbol file or a map; "-" is standard input. Lines may end with CRLF, be blank,
 * and have any length. Skips lines with undefined symbols; in maps, also lines that begin
 * with "No symbols in". The addresses and types in a map are read only with the policy
 * `map_strict`. Errors: the file does not exist or is too large; a line is malformed; all
 * addresses of a symbol file are zero. Without the policy `symfile_strict`, the last two
 * are not errors in a symbol file. */
bool gp_symfile_read(gp_symfile *file, const char *path, bool map,
                     const gp_policy *policy, gp_error *error);
void gp_symfile_free(gp_symfile *file);

#endif
