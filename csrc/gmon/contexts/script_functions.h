/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of a Lua program's functions, which its profile contains (see
 * doc/contexts.md).
 *
 * Each recorded line of a function has an address, which depends on the list. To add up
 * profiles of different runs, their addresses are converted to those of one list that
 * has all functions and lines.
 */
#ifndef GP_GMON_CONTEXTS_SCRIPT_FUNCTIONS_H
#define GP_GMON_CONTEXTS_SCRIPT_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/range.h"

/* The address of the first line, and the number of addresses that a line has. */
#define GP_SCRIPT_LOW UINT64_C(0x1000)
#define GP_SCRIPT_LINE UINT64_C(4)

typedef struct gp_script_functions {
  const unsigned char *bytes;   /* as in the file; NULL: not a Lua program */
  size_t size;
} gp_script_functions;

/* Where the lines of one list are in another. */
typedef struct gp_script_lines {
  size_t count, capacity;
  uint32_t *rows;       /* by line of one list: its number in the other, from 0 */
  size_t total;         /* number of lines in the other list */
} gp_script_lines;

/* Finds all lines of `from` in `to`. Fails if a list is damaged, or `to` lacks a line. */
bool gp_script_lines_find(gp_script_lines *lines, gp_script_functions from,
                          gp_script_functions to, gp_error *error);
void gp_script_lines_free(gp_script_lines *lines);

/* Returns the addresses of the first `count` lines of a list. */
gp_range gp_script_range(size_t count);

#endif
