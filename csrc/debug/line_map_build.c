/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds a line map from an image's debugging information.
 *
 * The line tables of units that have wanted code are read once (line_sequences.h).
 * Several sequences may cover the same code: if many units define a function, the linker
 * keeps one copy, and the line tables of the other units may still refer to the code.
 * Linkers keep the first copy, so the first sequence is right. Where libbfd may answer
 * otherwise and its answer is wanted, where all sequences are dubious, and if no table is
 * readable, we ask libbfd about each address, unless that would take too much time.
 * libbfd reads all units, so before it is asked, the tables of all units are read.
 */
#include "debug/line_map_build.h"

#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "debug/line_sequences.h"

/* --- asking libbfd ------------------------------------------------------------- */

/* Adds libbfd's answer for one address. Extends the last row, or begins a new one if the
 * line or the function differs. */
static bool append_answer(gp_line_map *map, gp_source_paths *paths, uint64_t address,
                          const gp_location *location, const char *last_function) {
  uint32_t file;
  size_t last = map->count - 1;
  if (!gp_source_paths_add(paths, location->file, &file)) return false;
  if (last_function && map->high[last] == address && map->file[last] == file &&
      map->line[last] == location->line &&
      strcmp(last_function, location->function) == 0) {
    map->high[last]++;
    return true;
  }
  gp_range range = {address, address + 1};
  return gp_line_map_append(map, range, file, location->line);
}

static bool ask(gp_line_map *map, gp_source_paths *paths, const gp_image *image,
                gp_range range) {
  const char *last_function = NULL;  /* function at the preceding address */
  if (map->costly) return true;
  if (!gp_image_prepare_locate(image)) return false;
  for (uint64_t address = range.low; address < range.high; address++) {
    gp_location location;
    bool known = gp_image_locate(image, address, &location);
    if (known && !append_answer(map, paths, address, &location, last_function))
      return false;
    last_function = known ? location.function : NULL;
  }
  return true;
}

/* --- merging sequences --------------------------------------------------------- */

typedef struct building {
  gp_line_map *map;
  gp_source_paths *paths;   /* of `map->names` */
  const gp_image *image;
  const gp_range *wanted;
  size_t wanted_count;
  const gp_line_sequences *sequences;
  gp_line_reading how;
  bool unsure;              /* libbfd would have to be asked, and not all tables were
                               read */
} building;

/* Asks libbfd about the wanted part of a range. */
static bool ask_wanted(building *b, gp_range range) {
  b->unsure = b->sequences->partial;
  if (b->unsure) return true;
  size_t i = gp_range_above(b->wanted, b->wanted_count, range.low);
  for (; i < b->wanted_count && b->wanted[i].low < range.high; i++)
    if (!ask(b->map, b->paths, b->image, gp_range_clip(b->wanted[i], range)))
      return false;
  return true;
}

static gp_range row_range(const gp_line_map *rows, size_t row) {
  return (gp_range){rows->low[row], rows->high[row]};
}

/* Copies the part of a sequence's rows that lies within a range. */
static bool copy_rows(const building *b, const gp_sequence *sequence, gp_range range) {
  const gp_line_map *rows = &b->sequences->rows;
  size_t i = gp_line_map_search(rows, sequence->first, sequence->end, range.low);
  for (; i < sequence->end && rows->low[i] < range.high; i++) {
    gp_range part = gp_range_clip(row_range(rows, i), range);
    if (!gp_line_map_append(b->map, part, rows->file[i], rows->line[i])) return false;
  }
  return true;
}

/* Sequence n has two edges: edge 2n is its low address, edge 2n + 1 its high address. */
static uint64_t edge_address(const gp_line_sequences *sequences, uint32_t edge) {
  const gp_sequence *sequence = &sequences->sequence[edge / 2];
  return edge % 2 ? sequence->high : sequence->low;
}

static bool edge_before(const void *sequences, uint32_t b, uint32_t a) {
  return edge_address(sequences, b) < edge_address(sequences, a);
}

/* The sequences that cover the code between two edges. */
typedef struct cover {
  size_t count;
  uint32_t *sequence;   /* sequence numbers, in any order */
  uint32_t *place;      /* for each sequence of the image: its index in `sequence` */
  uint64_t budget;      /* comparisons of sequences and rows left */
} cover;

/* The budget is this many comparisons per row. Copies of a function begin and end
 * together, so one comparison per row is enough for normal images. A crafted image could
 * require a quadratic number. */
#define COMPARISONS_PER_ROW 8

static bool cover_init(cover *c, const gp_line_sequences *sequences) {
  *c = (cover){.budget = COMPARISONS_PER_ROW *
                         (sequences->count + sequences->rows.count)};
  c->sequence = gp_column(sequences->count, sizeof *c->sequence);
  c->place = gp_column(sequences->count, sizeof *c->place);
  return c->sequence && c->place;
}

/* Adds the sequence that begins at an edge, or removes the one that ends there. */
static void pass_edge(cover *c, uint32_t edge) {
  uint32_t sequence = edge / 2;
  if (edge % 2 == 0) {
    c->place[sequence] = (uint32_t)c->count;
    c->sequence[c->count++] = sequence;
  } else {
    uint32_t last = c->sequence[--c->count];
    c->sequence[c->place[sequence]] = last;
    c->place[last] = c->place[sequence];
  }
}

/* Whether two sequences have the same rows within a range. False if the budget runs
 * out. */
static bool have_same_rows(const gp_line_map *rows, const gp_sequence *a,
                           const gp_sequence *b, gp_range range, uint64_t *budget) {
  size_t i = gp_line_map_search(rows, a->first, a->end, range.low);
  size_t j = gp_line_map_search(rows, b->first, b->end, range.low);
  for (;; i++, j++) {
    bool more_a = i < a->end && rows->low[i] < range.high;
    bool more_b = j < b->end && rows->low[j] < range.high;
    if (!more_a || !more_b) return more_a == more_b;
    if (*budget == 0) return false;
    --*budget;
    gp_range of_a = gp_range_clip(row_range(rows, i), range);
    gp_range of_b = gp_range_clip(row_range(rows, j), range);
    if (of_a.low != of_b.low || of_a.high != of_b.high ||
        rows->file[i] != rows->file[j] || rows->line[i] != rows->line[j])
      return false;
  }
}

/* Returns a sequence that gives libbfd's answer within a range: any, if all have the same
 * rows and none is dubious; else NULL. */
static const gp_sequence *agreed(cover *c, const gp_line_sequences *sequences,
                                 gp_range range) {
  const gp_sequence *first = &sequences->sequence[c->sequence[0]];
  if (first->dubious) return NULL;
  for (size_t i = 1; i < c->count; i++) {
    const gp_sequence *other = &sequences->sequence[c->sequence[i]];
    if (c->budget == 0 || other->dubious) return NULL;
    c->budget--;
    if (!have_same_rows(&sequences->rows, first, other, range, &c->budget)) return NULL;
  }
  return first;
}

/* Returns the first sequence that is not dubious; NULL if there is none, or if the budget
 * runs out. */
static const gp_sequence *first_sound(cover *c, const gp_line_sequences *sequences) {
  uint32_t first = GP_NONE;
  for (size_t i = 0; i < c->count; i++) {
    if (c->budget == 0) return NULL;
    c->budget--;
    uint32_t sequence = c->sequence[i];
    if (sequence < first && !sequences->sequence[sequence].dubious) first = sequence;
  }
  return first == GP_NONE ? NULL : &sequences->sequence[first];
}

/* Maps the code between each pair of adjacent edges. */
static bool merge_between(building *b, const uint32_t *edges, size_t count,
                          cover *c) {
  const gp_line_sequences *sequences = b->sequences;
  for (size_t i = 0; i < count && !b->unsure; i++) {
    pass_edge(c, edges[i]);
    if (c->count == 0) continue;
    gp_range range = {edge_address(sequences, edges[i]),
                      edge_address(sequences, edges[i + 1])};
    if (range.low == range.high) continue;
    const gp_sequence *sequence = b->how == GP_LINES_AS_LIBBFD
                                      ? agreed(c, sequences, range)
                                      : first_sound(c, sequences);
    if (!(sequence ? copy_rows(b, sequence, range) : ask_wanted(b, range))) return false;
  }
  return true;
}

static bool merge_sequences(building *b) {
  cover c;
  size_t count = 2 * b->sequences->count;
  uint32_t *edges = gp_identity(count);
  bool done = cover_init(&c, b->sequences) && edges &&
              gp_sort(edges, count, edge_before, b->sequences) &&
              merge_between(b, edges, count, &c);
  free(c.sequence);
  free(c.place);
  free(edges);
  return done;
}

static bool ask_all(building *b) {
  b->unsure = b->sequences->partial;
  if (b->unsure) return true;
  for (size_t i = 0; i < b->wanted_count; i++)
    if (!ask(b->map, b->paths, b->image, b->wanted[i])) return false;
  return true;
}

/* Builds a map. Sets `*unsure` if this requires the tables of all units. */
static bool build(gp_line_map *map, const gp_image *image, gp_line_reading how,
                  const gp_range *ranges, size_t count, bool *unsure) {
  bool readable;
  gp_line_sequences sequences;
  gp_source_paths paths;
  gp_line_map_init(map);
  gp_source_paths_init(&paths, &map->names, how == GP_LINES_AS_LIBBFD);
  bool done = gp_line_sequences_read(&sequences, &paths, image, how, ranges, count,
                                     &readable);
  map->costly = sequences.costly;
  building b = {map, &paths, image, ranges, count, &sequences, how, false};
  done = done && (readable ? merge_sequences(&b) : ask_all(&b));
  gp_line_sequences_free(&sequences);
  gp_source_paths_free(&paths);
  *unsure = b.unsure;
  return done;
}

bool gp_line_map_build(gp_line_map *map, const gp_image *image, bool as_libbfd,
                       const gp_range *ranges, size_t count, gp_error *error) {
  bool unsure;
  gp_line_reading how = as_libbfd ? GP_LINES_AS_LIBBFD : GP_LINES_OF_UNITS;
  bool done = build(map, image, how, ranges, count, &unsure);
  if (done && unsure) {
    gp_line_map_free(map);
    done = build(map, image, GP_LINES_OF_ALL, ranges, count, &unsure);
  }
  if (done) return true;
  gp_line_map_free(map);
  return gp_fail_memory(error);
}
