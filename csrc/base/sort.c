/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stable sort of row numbers, and a sort of addresses. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef struct sorting {
  gp_before *before;
  const void *context;
  uint32_t *scratch;  /* space for half of the rows */
} sorting;

/* Rows of scratch space on the stack. Most lists are short, so sorting them needs no
 * allocation. */
enum { STACK_ROWS = 64 };

/* Merges a row with the sorted rows after it. */
static void merge_first(const sorting *s, uint32_t *rows, size_t count) {
  uint32_t first = rows[0];
  size_t at = 0;
  for (; at + 1 < count && s->before(s->context, rows[at + 1], first); at++)
    rows[at] = rows[at + 1];
  rows[at] = first;
}

/* Sorts at least two rows. The recursion depth is logarithmic in `count`. Rows that are
 * in order already are compared like others, but not moved. Another sort of few rows
 * would be faster, but lead to another order where a comparison is not transitive. */
static void merge_sort(const sorting *s, uint32_t *rows, size_t count) {
  size_t half = count / 2;
  if (half == 1) {
    if (count == 3) merge_first(s, rows + 1, 2);
    merge_first(s, rows, count);
    return;
  }
  uint32_t *right = rows + half, *end = rows + count, *out = rows;
  merge_sort(s, rows, half);
  merge_sort(s, right, count - half);
  while (out < right && !s->before(s->context, *right, *out)) out++;
  size_t moved = (size_t)(right - out);
  if (moved == 0) return;
  memcpy(s->scratch, out, moved * sizeof *rows);
  const uint32_t *left = s->scratch, *left_end = s->scratch + moved;
  *out++ = *right++;
  while (left < left_end && right < end)
    *out++ = s->before(s->context, *right, *left) ? *right++ : *left++;
  memcpy(out, left, (size_t)(left_end - left) * sizeof *rows);
}

bool gp_sort(uint32_t *rows, size_t count, gp_before *before, const void *context) {
  uint32_t room[STACK_ROWS], *scratch = room;
  if (count < 2) return true;
  if (count / 2 > STACK_ROWS && !(scratch = gp_column(count / 2, sizeof *rows)))
    return false;
  merge_sort(&(sorting){before, context, scratch}, rows, count);
  if (scratch != room) free(scratch);
  return true;
}

uint32_t *gp_identity(size_t count) {
  uint32_t *rows = gp_column(count, sizeof *rows);
  if (rows)
    for (size_t i = 0; i < count; i++) rows[i] = (uint32_t)i;
  return rows;
}

static int compare_addresses(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

size_t gp_sort_distinct(uint64_t *addresses, size_t count) {
  size_t kept = 0;
  if (count > 0)  /* qsort() must not get NULL */
    qsort(addresses, count, sizeof *addresses, compare_addresses);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || addresses[i] != addresses[kept - 1]) addresses[kept++] = addresses[i];
  return kept;
}
