/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which line of the source the code at an address comes from.
 *
 * The line tables are read once (linerows.h). Several may tell of the same code: of a
 * function that many units have, a linker keeps one, and lets the others' tables tell of
 * that. Where they contradict each other, and where there are none that we can read,
 * libbfd is asked about every address.
 */
#include "debug/line_map.h"

#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "debug/line_sequences.h"

static bool make_room(gp_line_map *map) {
  if (map->count < map->capacity) return true;
  size_t room = gp_capacity(map->capacity, map->count + 1);
  if (!gp_resize(&map->low, room, sizeof *map->low) ||
      !gp_resize(&map->high, room, sizeof *map->high) ||
      !gp_resize(&map->file, room, sizeof *map->file) ||
      !gp_resize(&map->line, room, sizeof *map->line))
    return false;
  map->capacity = room;
  return true;
}

bool gp_line_map_append(gp_line_map *map, gp_range range, uint32_t file, uint32_t line) {
  if (!make_room(map)) return false;
  map->low[map->count] = range.low;
  map->high[map->count] = range.high;
  map->file[map->count] = file;
  map->line[map->count++] = line;
  return true;
}

/* --- asking libbfd ------------------------------------------------------------- */

/* What libbfd says of an address goes on in the last stretch, or begins another. Those
 * of two functions are two even if their line is one. */
static bool append_answer(gp_line_map *map, uint64_t address, const gp_location *source,
                          const char *function) {
  uint32_t file;
  size_t last = map->count - 1;
  if (!gp_source_names_add(&map->files, source->file, &file)) return false;
  if (function && map->high[last] == address && map->file[last] == file &&
      map->line[last] == source->line && strcmp(function, source->function) == 0) {
    map->high[last]++;
    return true;
  }
  gp_range range = {address, address + 1};
  return gp_line_map_append(map, range, file, source->line);
}

static bool ask(gp_line_map *map, const gp_image *image, gp_range range) {
  const char *function = NULL;  /* of the address before */
  if (!gp_image_can_ask(image)) return false;
  for (uint64_t address = range.low; address < range.high; address++) {
    gp_location source;
    bool known = gp_image_locate(image, address, &source);
    if (known && !append_answer(map, address, &source, function)) return false;
    function = known ? source.function : NULL;
  }
  return true;
}

/* --- from tables --------------------------------------------------------------- */

typedef struct maker {
  gp_line_map *map;
  const gp_image *image;
  const gp_range *wanted;
  size_t wanted_count;
  const gp_line_sequences *rows;
} maker;

/* Asks libbfd about what is wanted of a range. */
static bool ask_wanted(const maker *make, gp_range range) {
  size_t i = gp_range_above(make->wanted, make->wanted_count, range.low);
  for (; i < make->wanted_count && make->wanted[i].low < range.high; i++) {
    gp_range part = gp_range_clip(make->wanted[i], range);
    if (!ask(make->map, make->image, part)) return false;
  }
  return true;
}

/* Copies the wanted rows of a sequence in a range. */
static bool copy_rows(const maker *make, const gp_sequence *sequence, gp_range range) {
  const gp_line_map *rows = &make->rows->rows;
  size_t i = gp_line_map_search(rows, sequence->first, sequence->last, range.low);
  for (; i < sequence->last && rows->low[i] < range.high; i++) {
    gp_range part = gp_range_clip((gp_range){rows->low[i], rows->high[i]}, range);
    if (!gp_line_map_append(make->map, part, rows->file[i], rows->line[i])) return false;
  }
  return true;
}

/* Sequences begin at their low address, as even numbers, and end at their high one. */
static uint64_t edge(const gp_line_sequences *rows, uint32_t number) {
  const gp_sequence *sequence = &rows->sequence[number / 2];
  return number % 2 ? sequence->high : sequence->low;
}

static bool edge_before(const void *rows, uint32_t b, uint32_t a) {
  return edge(rows, b) < edge(rows, a);
}

/* The sequences that tell of the code between two edges. */
typedef struct tellers {
  size_t count;
  uint32_t *number;     /* of the sequences, in any order */
  uint32_t *place;      /* per sequence, which of them it is */
  uint64_t patience;    /* so many rows will still be compared */
} tellers;

/* How often the rows of all sequences may be compared: copies of a function begin and end
 * together, so once is enough; a crafted image can ask for their square. */
#define MOST_COMPARED 8

static bool tellers_init(tellers *all, const gp_line_sequences *rows) {
  *all = (tellers){.patience = MOST_COMPARED * (rows->count + rows->rows.count)};
  all->number = gp_column(rows->count, sizeof *all->number);
  all->place = gp_column(rows->count, sizeof *all->place);
  return all->number && all->place;
}

static void tellers_free(tellers *all) {
  free(all->number);
  free(all->place);
}

/* Passes an edge. */
static void pass(tellers *all, uint32_t edge) {
  uint32_t sequence = edge / 2;
  if (edge % 2 == 0) {
    all->place[sequence] = (uint32_t)all->count;
    all->number[all->count++] = sequence;
  } else {
    uint32_t last = all->number[--all->count];
    all->number[all->place[sequence]] = last;
    all->place[last] = all->place[sequence];
  }
}

/* Whether two sequences tell the same of a range; false if patience is at its end. */
static bool tell_the_same(const gp_line_map *rows, const gp_sequence *a,
                          const gp_sequence *b, gp_range range, uint64_t *patience) {
  size_t i = gp_line_map_search(rows, a->first, a->last, range.low);
  size_t j = gp_line_map_search(rows, b->first, b->last, range.low);
  for (;; i++, j++) {
    bool more_a = i < a->last && rows->low[i] < range.high;
    bool more_b = j < b->last && rows->low[j] < range.high;
    if (!more_a || !more_b) return more_a == more_b;
    if (*patience == 0) return false;
    --*patience;
    gp_range of_a = gp_range_clip((gp_range){rows->low[i], rows->high[i]}, range);
    gp_range of_b = gp_range_clip((gp_range){rows->low[j], rows->high[j]}, range);
    if (of_a.low != of_b.low || of_a.high != of_b.high ||
        rows->file[i] != rows->file[j] || rows->line[i] != rows->line[j])
      return false;
  }
}

/* Whether all tell the same of a range, and none is dubious: then it is true, whichever
 * of them libbfd goes by. */
static bool agree(tellers *all, const gp_line_sequences *rows, gp_range range) {
  const gp_sequence *first = &rows->sequence[all->number[0]];
  if (first->dubious) return false;
  for (size_t i = 1; i < all->count; i++) {
    const gp_sequence *other = &rows->sequence[all->number[i]];
    if (all->patience == 0 || other->dubious) return false;
    all->patience--;
    if (!tell_the_same(&rows->rows, first, other, range, &all->patience)) return false;
  }
  return true;
}

/* Goes through the code from edge to edge. What is told in one way is copied. */
static bool from_edges(const maker *make, const uint32_t *edges, size_t count,
                       tellers *all) {
  for (size_t i = 0; i < count; i++) {
    pass(all, edges[i]);
    if (all->count == 0) continue;
    gp_range range = {edge(make->rows, edges[i]), edge(make->rows, edges[i + 1])};
    if (range.low == range.high) continue;
    bool done = agree(all, make->rows, range)
                    ? copy_rows(make, &make->rows->sequence[all->number[0]], range)
                    : ask_wanted(make, range);
    if (!done) return false;
  }
  return true;
}

static bool from_rows(const maker *make) {
  tellers all;
  size_t count = 2 * make->rows->count;
  uint32_t *edges = gp_identity(count);
  bool done = tellers_init(&all, make->rows) && edges &&
              gp_sort(edges, count, edge_before, make->rows) &&
              from_edges(make, edges, count, &all);
  tellers_free(&all);
  free(edges);
  return done;
}

static bool from_nothing(const maker *make) {
  for (size_t i = 0; i < make->wanted_count; i++)
    if (!ask(make->map, make->image, make->wanted[i])) return false;
  return true;
}

bool gp_line_map_read(gp_line_map *map, const gp_image *image, bool as_libbfd,
                      const gp_range *ranges, size_t count, gp_error *error) {
  bool readable, done;
  memset(map, 0, sizeof *map);
  gp_source_names_init(&map->files);
  gp_line_sequences rows;
  done = gp_line_sequences_read(&rows, &map->files, image, as_libbfd, ranges, count,
                                &readable);
  map->split = rows.split;
  maker make = {map, image, ranges, count, &rows};
  done = done && (readable ? from_rows(&make) : from_nothing(&make));
  gp_line_sequences_free(&rows);
  if (done) return true;
  gp_line_map_free(map);
  return gp_fail_memory(error);
}

void gp_line_map_free(gp_line_map *map) {
  free(map->low);
  free(map->high);
  free(map->file);
  free(map->line);
  gp_source_names_free(&map->files);
  memset(map, 0, sizeof *map);
}

/* --- lookups ------------------------------------------------------------------- */

size_t gp_line_map_search(const gp_line_map *map, size_t low, size_t high,
                          uint64_t address) {
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (map->high[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint32_t gp_line_map_find(const gp_line_map *map, uint64_t address) {
  size_t above = gp_line_map_search(map, 0, map->count, address);
  return above < map->count && map->low[above] <= address ? (uint32_t)above : GP_NONE;
}
