/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a Lua program's functions. */
#include "gmon/contexts/script_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

/* Lists are little-endian on all machines. */
static const gp_layout layout = {.pointer_size = 8};

/* --- functions ----------------------------------------------------------------- */

typedef struct text {
  const unsigned char *bytes;
  uint32_t size;
} text;

/* What identifies a function, and its lines. */
typedef struct function {
  text source;
  uint32_t first, last, signature;
  const unsigned char *lines;
  uint32_t line_count;
} function;

/* A position in a list. */
typedef struct cursor {
  const unsigned char *at;
  size_t left;
} cursor;

static bool take_u32(cursor *c, uint32_t *number) {
  if (c->left < 4) return false;
  *number = gp_u32(c->at, layout);
  c->at += 4;
  c->left -= 4;
  return true;
}

static bool take_bytes(cursor *c, text *part, uint64_t size) {
  if (size > c->left) return false;
  *part = (text){c->at, (uint32_t)size};
  c->at += size;
  c->left -= size;
  return true;
}

static bool take_text(cursor *c, text *part) {
  uint32_t size;
  return take_u32(c, &size) && take_bytes(c, part, size);
}

/* Takes the next function; false if there is none, or the list is damaged. */
static bool take_function(cursor *c, function *f) {
  text name, lines;
  uint32_t rank;
  if (!take_text(c, &f->source) || !take_u32(c, &f->first) || !take_u32(c, &f->last) ||
      !take_u32(c, &f->signature) || !take_u32(c, &rank) || !take_text(c, &name) ||
      !take_u32(c, &f->line_count) || f->line_count == 0 ||
      !take_bytes(c, &lines, (uint64_t)f->line_count * 4))
    return false;
  f->lines = lines.bytes;
  return true;
}

static uint32_t line_at(const function *f, uint32_t row) {
  return gp_u32(f->lines + (size_t)row * 4, layout);
}

static int compare_numbers(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int compare_texts(text a, text b) {
  uint32_t both = a.size < b.size ? a.size : b.size;
  int order = memcmp(a.bytes, b.bytes, both);
  return order != 0 ? order : compare_numbers(a.size, b.size);
}

/* The order of lists. */
static int compare(const function *a, const function *b) {
  int order = compare_texts(a->source, b->source);
  if (order == 0) order = compare_numbers(a->first, b->first);
  if (order == 0) order = compare_numbers(a->last, b->last);
  return order != 0 ? order : compare_numbers(a->signature, b->signature);
}

/* --- finding lines -------------------------------------------------------------- */

/* Appends the numbers of a function's lines, which are a part of the lines of `other`,
 * whose first line has the number `number`. */
static bool find_lines(gp_script_lines *lines, const function *f, const function *other,
                       uint32_t number) {
  for (uint32_t i = 0, row = 0; i < f->line_count; i++, row++) {
    while (row < other->line_count && line_at(other, row) != line_at(f, i)) row++;
    if (row == other->line_count) return false;
    lines->rows[lines->count++] = number + row;
  }
  return true;
}

/* Finds the lines of the functions of one list in the other, which has them in the same
 * order. */
static bool find_functions(gp_script_lines *lines, gp_script_functions from,
                           gp_script_functions to, gp_error *error) {
  cursor one = {from.bytes, from.size}, other = {to.bytes, to.size};
  function f = {.line_count = 0}, same = {.line_count = 0};
  while (one.left > 0) {
    cursor start = one;
    if (!take_function(&one, &f))
      return gp_fail(error, "is damaged: the function at offset %zu of its list is wrong",
                     from.size - start.left);
    int order = 1;
    while (order > 0) {
      lines->total += same.line_count;
      if (!take_function(&other, &same)) break;
      order = compare(&f, &same);
    }
    if (!GP_RESERVE(&lines->capacity, lines->count + f.line_count,
                    GP_COLUMN(lines->rows)))
      return gp_fail_memory(error);
    if (order != 0 || !find_lines(lines, &f, &same, (uint32_t)lines->total))
      return gp_fail(error, "has functions that the image lacks: the function at offset "
                     "%zu of its list is unknown", from.size - start.left);
  }
  for (lines->total += same.line_count; take_function(&other, &same);)
    lines->total += same.line_count;
  return true;
}

bool gp_script_lines_find(gp_script_lines *lines, gp_script_functions from,
                          gp_script_functions to, gp_error *error) {
  *lines = (gp_script_lines){0};
  if (find_functions(lines, from, to, error)) return true;
  gp_script_lines_free(lines);
  return false;
}

void gp_script_lines_free(gp_script_lines *lines) {
  free(lines->rows);
  *lines = (gp_script_lines){0};
}

gp_range gp_script_range(size_t count) {
  return (gp_range){GP_SCRIPT_LOW, GP_SCRIPT_LOW + count * GP_SCRIPT_LINE};
}
