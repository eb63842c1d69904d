/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols from text files.
 *
 * Symbol files are what nm prints and what /proc/kallsyms holds: ADDRESS TYPE NAME in
 * each line. Maps are what nm prints under --print-file-name: the same after
 * OBJECT: of the object file that the symbol is from.
 */
#ifndef GP_SYMBOLS_SYMFILE_H
#define GP_SYMBOLS_SYMFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbols/policy.h"

/* Columns over the symbols, in the order of the lines. Strings are parts of `text`. */
typedef struct gp_symfile {
  bool map;
  const gp_policy *policy;  /* how it was read */
  char *text;
  size_t count, capacity;
  uint64_t *address;
  char *type;            /* nm's letter: T global text, t local text ... */
  const char **name;
  const char **object;   /* in maps; else NULL */
} gp_symfile;

/* Reads a symbol file, or a map; "-" is standard input. Lines may end with CRLF, be
 * blank, or be of any length. Lines of symbols without an address (undefined ones)
 * and those that say "No symbols in" are skipped. Any other line is an error that names
 * its number, and so are addresses of a symbol file that are all zero, unless the policy
 * is not `symfile_strict`. Addresses and types of a map are read only if the policy is
 * `map_strict`. Errors: also no such file, too large. */
bool gp_symfile_read(gp_symfile *file, const char *path, bool map,
                     const gp_policy *policy, gp_error *error);
void gp_symfile_free(gp_symfile *file);

#endif
