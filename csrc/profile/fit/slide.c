/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the slide of a profile: the difference between its addresses and the image's. */
#include "profile/fit/slide.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "profile/fit/fit.h"
#include "profile/fit/histogram_ends.h"

/* The maximum size of a prologue up to its call of mcount, in bytes. PROLOGUE is the
 * usual maximum. LONG_PROLOGUE is for machines with 4-byte instructions that save many
 * registers. */
#define PROLOGUE 32
#define LONG_PROLOGUE 64

/* Loaders move programs by whole pages, Windows by 16 of them. Other slides are tried
 * only if they move the histogram to the ends of the code: in a rebuilt program, many
 * functions have moved by a common multiple of their alignment. */
#define PAGE UINT64_C(4096)
#define WINDOWS_PAGE UINT64_C(65536)

enum {
  MAX_TRIED = 1 << 18,    /* largest number of slides tried */
  SAMPLE_SIZE = 64,       /* callees tested per slide at first */
  MAX_SAMPLED = 16,       /* slides kept after this first test, and tested with all
                             callees */
  MIN_CALLEES = 8,        /* without a histogram, fewer callees are not enough evidence */
  NEAR = 2048             /* in bytes: no other slide within this distance may fit equally
                             well */
};

/* --- candidates ------------------------------------------------------------------- */

/* A possible slide. */
typedef struct candidate {
  uint64_t offset;
  size_t fitting;     /* number of callees that lie in a prologue: at first of the
                         sample, later of all callees */
  uint64_t distance;  /* sum of the distances of fitting callees from entries, in bytes */
  bool ends;          /* the slide matches the ends of the histogram */
  bool within;        /* it moves the histogram into the code, or around the code, by
                         whole pages */
} candidate;

/* The offsets from `low` to `high`; `low` may be above `high`, as offsets are modulo
 * 2^64. */
typedef struct offsets {
  uint64_t low, high;
} offsets;

typedef struct search {
  const gp_symtab *symtab;
  uint64_t page;      /* loaders move the image by multiples of this */
  bool recorded;      /* there is a histogram */
  offsets around;     /* the offsets that move it into the code, or around it */
  uint64_t *callees;  /* ascending and distinct */
  size_t count;
  /* candidates from ends come first */
  candidate candidates[GP_MAX_ENDS * GP_MAX_ENDS + MAX_SAMPLED];
  size_t from_ends, candidate_count;
} search;

static bool list_callees(search *s, const gp_data *data, gp_error *error) {
  size_t count = data->arcs.count;
  s->callees = gp_column(count, sizeof *s->callees);
  if (!s->callees) return gp_fail_memory(error);
  if (count == 0) return true;
  memcpy(s->callees, data->arcs.self, count * sizeof *s->callees);
  s->count = gp_sort_distinct(s->callees, count);
  return true;
}

static bool is_three_quarters(size_t fitting, size_t count) {
  return fitting >= count - count / 4;
}

/* A slide that fits fewer than half of the callees cannot compete with one that fits
 * three quarters: see are_alike(). */
static bool is_half(size_t fitting, size_t count) { return fitting >= count - count / 2; }

/* Tests an offset on `sample` callees, evenly chosen from all. Stops as soon as half of
 * them can no longer fit. */
static candidate try_offset(const search *s, uint64_t offset, size_t sample) {
  candidate t = {.offset = offset};
  for (size_t i = 0; i < sample; i++) {
    size_t row = sample == s->count ? i : i * (s->count - 1) / (sample - 1);
    uint64_t distance = gp_entry_distance(s->symtab, s->callees[row] - offset);
    if (distance < PROLOGUE) {
      t.fitting++;
      t.distance += distance;
    } else if (!is_half(t.fitting + (sample - i - 1), sample)) {
      break;
    }
  }
  return t;
}

/* Whether `a` fits more callees than `b`, or equally many with a smaller distance. */
static bool is_better(const candidate *a, const candidate *b) {
  return a->fitting != b->fitting ? a->fitting > b->fitting : a->distance < b->distance;
}

/* Adds each slide with which the histogram covers the code between a start and an end. */
static void add_from_ends(search *s, gp_range histogram, const gp_histogram_ends *code) {
  for (size_t l = 0; l < code->lows; l++)
    for (size_t h = 0; h < code->highs; h++) {
      candidate t = {.ends = true};
      bool known =
          !gp_histogram_ends_offset(histogram, code->low[l], code->high[h], &t.offset);
      for (size_t i = 0; i < s->from_ends; i++)
        known = known || s->candidates[i].offset == t.offset;
      if (!known) s->candidates[s->from_ends++] = t;
    }
  s->candidate_count = s->from_ends;
}

/* Adds a candidate that add_from_ends did not add. Keeps only the best MAX_SAMPLED
 * candidates of this kind. */
static void add_sampled(search *s, candidate t) {
  for (size_t i = 0; i < s->candidate_count; i++)
    if (s->candidates[i].offset == t.offset) return;
  size_t place = s->candidate_count;
  while (place > s->from_ends && is_better(&t, &s->candidates[place - 1])) place--;
  if (place == s->from_ends + MAX_SAMPLED) return;
  if (s->candidate_count < s->from_ends + MAX_SAMPLED) s->candidate_count++;
  memmove(&s->candidates[place + 1], &s->candidates[place],
          (s->candidate_count - place - 1) * sizeof t);
  s->candidates[place] = t;
}

static uint64_t round_up(uint64_t offset, uint64_t page) {
  return (offset + page - 1) & ~(page - 1);
}

/* Whether an offset moves the histogram into the code, or around the code. */
static bool is_around(const search *s, uint64_t offset) {
  return s->recorded && offset % s->page == 0 &&
         offset - s->around.low <= s->around.high - s->around.low;
}

/* Tries the whole pages from `low` to `high`. */
static void try_pages_between(search *s, offsets range) {
  uint64_t aligned = round_up(range.low, s->page), room = range.high - range.low;
  if (aligned - range.low > room) return;
  uint64_t tried = (room - (aligned - range.low)) / s->page + 1;
  size_t sample = s->count < SAMPLE_SIZE ? s->count : SAMPLE_SIZE;
  for (; tried > 0 && tried <= MAX_TRIED; tried--, aligned += s->page) {
    candidate t = try_offset(s, aligned, sample);
    t.within = is_around(s, aligned);
    if (is_half(t.fitting, sample)) add_sampled(s, t);
  }
}

/* Tries the whole pages that move the middle half of the callees into the code. A slide
 * that moves three quarters of the callees into the code always moves the middle half
 * there. */
static void try_pages(search *s) {
  const gp_symtab *symtab = s->symtab;
  uint64_t low = symtab->address[0];
  uint64_t high = gp_symtab_end(symtab, (uint32_t)symtab->count - 1);
  size_t quarter = s->count / 4;
  uint64_t first = s->callees[quarter], last = s->callees[s->count - 1 - quarter];
  if (high < low || last - first > high - low) return;
  try_pages_between(s, (offsets){last - high, first - low});
}

/* Returns the offsets that move a histogram into the code, if the code is larger, or
 * otherwise around the code. */
static offsets offsets_around(gp_range histogram, gp_range code) {
  uint64_t begin = histogram.low - code.low, end = histogram.high - code.high;
  bool larger = histogram.high - histogram.low > code.high - code.low;
  offsets around = larger ? (offsets){begin, end} : (offsets){end, begin};
  around.low -= GP_END_ROUNDING;
  around.high += GP_END_ROUNDING;
  return around;
}

/* Tests all callees, not only a sample, for each candidate. */
static void count_all_callees(search *s) {
  for (size_t i = 0; i < s->candidate_count; i++) {
    candidate t = try_offset(s, s->candidates[i].offset, s->count);
    t.ends = s->candidates[i].ends;
    t.within = s->candidates[i].within;
    s->candidates[i] = t;
  }
}

/* --- choice ------------------------------------------------------------------------- */

/* Whether two offsets differ by less than a prologue, and so may represent the same
 * slide. */
static bool are_close(const candidate *a, const candidate *b) {
  return a->offset - b->offset < PROLOGUE || b->offset - a->offset < PROLOGUE;
}

/* Whether the best candidate may be better only by chance: the difference in fitting
 * callees does not exceed the number of callees that the best candidate does not fit. */
static bool are_alike(const search *s, const candidate *best, const candidate *other) {
  return best->fitting <= other->fitting ||
         best->fitting - other->fitting <= s->count - best->fitting;
}

/* Returns the candidate that fits the most callees. NULL if it fits less than three
 * quarters of them. */
static const candidate *find_best(const search *s) {
  const candidate *best = NULL;
  for (size_t i = 0; i < s->candidate_count; i++)
    if (!best || is_better(&s->candidates[i], best)) best = &s->candidates[i];
  return best && is_three_quarters(best->fitting, s->count) ? best : NULL;
}

/* Whether `a` is likelier than the equally good `b`: only `a` matches the ends, or the
 * range of the histogram; or both are close together, and with `a` the callees are nearer
 * to entries. */
static bool is_likelier(const candidate *a, const candidate *b) {
  if (a->ends != b->ends) return a->ends;
  if (a->within != b->within) return a->within;
  double mean = (double)a->distance / (double)a->fitting;
  return are_close(a, b) && mean < (double)b->distance / (double)b->fitting;
}

/* Returns the likeliest of the candidates that may be as good as the best one. */
static const candidate *most_likely(const search *s, const candidate *best) {
  const candidate *chosen = best;
  for (size_t i = 0; i < s->candidate_count; i++)
    if (are_alike(s, best, &s->candidates[i]) && is_likelier(&s->candidates[i], chosen))
      chosen = &s->candidates[i];
  return chosen;
}

/* Whether a nearby offset fits equally well. Sets `*rival` to it. Such offsets exist
 * where functions are small and adjacent, because every address is then near an entry.
 * They are not whole pages, so the range of the histogram decides. */
static bool find_neighbour(const search *s, const candidate *chosen, candidate *rival) {
  bool decided = chosen->ends || chosen->within;
  for (uint64_t off = PROLOGUE; !decided && off <= NEAR; off += 16) {
    *rival = try_offset(s, chosen->offset + off, s->count);
    if (are_alike(s, chosen, rival)) return true;
    *rival = try_offset(s, chosen->offset - off, s->count);
    if (are_alike(s, chosen, rival)) return true;
  }
  return false;
}

/* Whether another offset is as good and as likely as `chosen`. Sets `*rival` to it. */
static bool find_rival(const search *s, const candidate *chosen, candidate *rival) {
  for (size_t i = 0; i < s->candidate_count; i++) {
    *rival = s->candidates[i];
    if (rival->ends == chosen->ends && rival->within == chosen->within &&
        are_alike(s, chosen, rival) && !are_close(rival, chosen))
      return true;
  }
  return find_neighbour(s, chosen, rival);
}

static bool fail_rivals(const search *s, const candidate *one, const candidate *other,
                        gp_error *error) {
  return gp_fail(error, "ambiguous slide: %s and %s fit equally well (with both, %s)",
                 gp_slide_text(one->offset).text, gp_slide_text(other->offset).text,
                 s->count > 0 ? "callees are at function entries"
                              : "the histogram covers the code");
}

/* Chooses a slide that moves recorded callees to function entries. */
static bool choose(search *s, gp_slide *slide, gp_error *error) {
  count_all_callees(s);
  const candidate *best = find_best(s);
  if (!best) {
    try_pages(s);
    count_all_callees(s);
    best = find_best(s);
  }
  if (!best)
    return gp_fail(error, "no slide found: none moves three quarters of the %zu callees "
                   "to function entries", s->count);
  best = most_likely(s, best);
  bool enough = s->count >= MIN_CALLEES || (best->within && best->fitting == s->count);
  if (!best->ends && !enough)
    return gp_fail(error, "no slide found: %zu %s too few to determine it", s->count,
                   s->count == 1 ? "callee is" : "callees are");
  candidate rival;
  if (find_rival(s, best, &rival)) return fail_rivals(s, best, &rival, error);
  slide->offset = best->offset;
  return true;
}

/* Chooses a slide by the histogram alone. */
static bool choose_from_histogram(search *s, gp_slide *slide, gp_error *error) {
  if (s->from_ends == 0) {  /* a single slide of whole pages may be left */
    slide->offset = round_up(s->around.low, s->page);
    if (is_around(s, slide->offset) && !is_around(s, slide->offset + s->page))
      return true;
    return gp_fail(error, "no slide found: there are no arcs, and the histogram does not "
                   "have the size of the code");
  }
  if (s->from_ends > 1)
    return fail_rivals(s, &s->candidates[0], &s->candidates[1], error);
  slide->offset = s->candidates[0].offset;
  return true;
}

/* Whether a histogram covers all of the code after an offset is subtracted. */
static bool covers(gp_range histogram, uint64_t offset, const gp_image *image) {
  uint64_t low = histogram.low - offset, high = histogram.high - offset;
  return low <= image->text_low && high > image->text_low &&
         image->text_high < high + GP_END_ROUNDING;
}

/* Whether a loader can have moved the image by an offset. The histogram, if any, must
 * then begin and end with the code. Fixed-position executables are never moved; in other
 * formats than ELF, we don't know which files are. */
static bool is_by_loader(const search *s, uint64_t offset, bool recorded,
                         const gp_image *image) {
  if (bfd_get_flavour(image->file) == bfd_target_elf_flavour &&
      (bfd_get_file_flags(image->file) & (EXEC_P | DYNAMIC)) == EXEC_P)
    return false;
  if (offset % s->page != 0) return false;
  for (size_t i = 0; i < s->from_ends; i++)
    if (s->candidates[i].offset == offset) return true;
  return !recorded;
}

/* Whether the addresses fit without a slide. False if the ends suggest another slide
 * that moves at least as many callees to prologues. */
static bool fits_unmoved(const search *s, bool covered) {
  size_t fitting = try_offset(s, 0, s->count).fitting;
  for (size_t i = 0; i < s->from_ends; i++)
    if (s->candidates[i].offset == 0) return is_three_quarters(fitting, s->count);
  for (size_t i = 0; i < s->from_ends; i++)
    if (try_offset(s, s->candidates[i].offset, s->count).fitting >= fitting) return false;
  return s->count > 0 ? is_three_quarters(fitting, s->count) : covered;
}

static bool find(search *s, gp_slide *slide, const gp_data *data, const gp_image *image,
                 gp_error *error) {
  gp_range histogram = gp_data_covered(data);
  gp_histogram_ends code;
  if (!list_callees(s, data, error)) return false;
  bool recorded = data->histogram_count > 0;
  bool windows = strncmp(bfd_get_target(image->file), "pei-", 4) == 0;
  s->page = windows ? WINDOWS_PAGE : PAGE;
  s->recorded = recorded;
  if (recorded) s->around = offsets_around(histogram, image->code);
  gp_histogram_ends_find(&code, image);
  if (recorded) add_from_ends(s, histogram, &code);
  bool done = fits_unmoved(s, !recorded || covers(histogram, 0, image)) ||
              (s->count > 0 ? choose : choose_from_histogram)(s, slide, error);
  slide->covers = recorded && covers(histogram, slide->offset, image);
  slide->by_loader = is_by_loader(s, slide->offset, recorded, image);
  return done;
}

bool gp_slide_find(gp_slide *slide, const gp_data *data, const gp_symtab *symtab,
                   const gp_image *image, gp_error *error) {
  search s = {.symtab = symtab};
  *slide = (gp_slide){.arcs = data->arcs.count};
  bool found = find(&s, slide, data, image, error);
  free(s.callees);
  if (!found) return false;
  slide->unmoved = gp_fit_entries(data, symtab, 0);
  slide->fitting = gp_fit_entries(data, symtab, slide->offset);
  return true;
}
