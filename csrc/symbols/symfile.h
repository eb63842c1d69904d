/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols from text files.
 *
 * Symbol files are what nm prints and what /proc/kallsyms holds: ADDRESS TYPE NAME in
 * each line. Maps are what nm prints under --print-file-name: the same behind
 * OBJECT: of the object file that the symbol is from.
 */
#ifndef GP_SYMBOLS_SYMFILE_H
#define GP_SYMBOLS_SYMFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Columns over the symbols, in the order of the lines. Strings are parts of `text`. */
typedef struct gp_symfile {
  bool map;
  bool gnu_compat;       /* it was read as GNU gprof does */
  char *text;
  size_t count, capacity;
  uint64_t *address;
  char *type;            /* nm's letter: T global text, t local text ... */
  const char **name;
  const char **object;   /* in maps; else NULL */
} gp_symfile;

/* Reads a symbol file, or a map; "-" is standard input. Lines may end with CRLF, be
 * blank, or be of any length. Lines of symbols without an address (undefined ones)
 * and those that say "No symbols in" are passed over. Any other line is an error that
 * tells its number. With gnu_compat, odd lines of a symbol file are passed over, and
 * those of a map are what GNU gprof takes them for; addresses and types of maps are not
 * read then. Errors: no such file, too large; and a symbol file, but with gnu_compat, of
 * which all addresses are zero. */
bool gp_symfile_read(gp_symfile *file, const char *path, bool map, bool gnu_compat,
                     gp_error *error);
void gp_symfile_free(gp_symfile *file);

#endif
