/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of scopes, which overlaps. */
#include "debug/scope_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

void gp_scope_ranges_free(gp_scope_ranges *ranges) {
  free(ranges->low);
  free(ranges->high);
  free(ranges->scope);
  free(ranges->unit);
  memset(ranges, 0, sizeof *ranges);
}

bool gp_scope_ranges_add(gp_scope_ranges *ranges, gp_range range, uint32_t scope,
                         uint32_t unit) {
  if (!GP_RESERVE(&ranges->capacity, ranges->count + 1, GP_COLUMN(ranges->low),
                  GP_COLUMN(ranges->high), GP_COLUMN(ranges->scope),
                  GP_COLUMN(ranges->unit)))
    return false;
  ranges->low[ranges->count] = range.low;
  ranges->high[ranges->count] = range.high;
  ranges->scope[ranges->count] = scope;
  ranges->unit[ranges->count++] = unit;
  return true;
}

static bool begins_before(const void *context, uint32_t b, uint32_t a) {
  const gp_scope_ranges *ranges = context;
  return ranges->low[b] < ranges->low[a];
}

/* A pass over the ranges by address. The ranges that begin at or below `at` are in a
 * heap, the innermost first; some may have ended. Segments are clipped to the wanted
 * code, not ranges: each range may meet all of it. */
typedef struct pass {
  const gp_scope_ranges *ranges;
  const gp_range *wanted, *wanted_end;  /* wanted code above the last segment */
  gp_inline_map *map;
  uint64_t at;
  size_t count;          /* of the heap */
  uint32_t *heap;
} pass;

static bool is_inner(const pass *p, uint32_t a, uint32_t b) {
  const gp_scope_ranges *ranges = p->ranges;
  return ranges->unit[a] != ranges->unit[b] ? ranges->unit[a] < ranges->unit[b]
                                            : ranges->scope[a] > ranges->scope[b];
}

static void push(pass *p, uint32_t range) {
  size_t hole = p->count++;
  for (; hole > 0 && is_inner(p, range, p->heap[(hole - 1) / 2]); hole = (hole - 1) / 2)
    p->heap[hole] = p->heap[(hole - 1) / 2];
  p->heap[hole] = range;
}

static void drop_first(pass *p) {
  uint32_t last = p->heap[--p->count];
  size_t hole = 0;
  for (size_t child = 1; child < p->count; child = 2 * hole + 1) {
    if (child + 1 < p->count && is_inner(p, p->heap[child + 1], p->heap[child])) child++;
    if (!is_inner(p, p->heap[child], last)) break;
    p->heap[hole] = p->heap[child];
    hole = child;
  }
  p->heap[hole] = last;
}

/* Emits the wanted parts of a segment. */
static bool emit(pass *p, gp_range segment, uint32_t scope) {
  while (p->wanted < p->wanted_end && p->wanted->high <= segment.low) p->wanted++;
  for (const gp_range *w = p->wanted; w < p->wanted_end && w->low < segment.high; w++)
    if (!gp_inline_map_add_segment(p->map, gp_range_clip(segment, *w), scope))
      return false;
  return true;
}

/* Emits the segments below an address. */
static bool advance(pass *p, uint64_t until) {
  while (p->at < until && p->count > 0) {
    uint32_t first = p->heap[0];
    uint64_t high = p->ranges->high[first];
    if (high <= p->at) {
      drop_first(p);
      continue;
    }
    gp_range segment = {p->at, high < until ? high : until};
    if (!emit(p, segment, p->ranges->scope[first])) return false;
    p->at = segment.high;
  }
  p->at = until;
  return true;
}

bool gp_scope_ranges_resolve(const gp_scope_ranges *ranges, const gp_range *wanted,
                             size_t count, gp_inline_map *map) {
  pass p = {.ranges = ranges, .wanted = wanted, .wanted_end = wanted + count,
            .map = map};
  uint32_t *order = gp_identity(ranges->count);
  p.heap = gp_column(ranges->count, sizeof *p.heap);
  bool done = order && p.heap && gp_sort(order, ranges->count, begins_before, ranges);
  for (size_t i = 0; done && i < ranges->count; i++) {
    done = advance(&p, ranges->low[order[i]]);
    push(&p, order[i]);
  }
  done = done && advance(&p, UINT64_MAX);
  free(order);
  free(p.heap);
  return done;
}
