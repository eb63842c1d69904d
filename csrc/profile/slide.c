/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds how much higher the addresses of a profile are than those of the image. */
#include "profile/slide.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/range.h"

/* Bytes of a prologue before the machinery of profiling is called: mostly; and at most,
 * where many registers are saved before, and instructions have four bytes each. */
#define PROLOGUE 32
#define LONG_PROLOGUE 64

/* Slides that are tried: by whole pages, or by what functions are aligned to. */
static const uint64_t steps[] = {4096, 16};

enum {
  MOST_TRIED = 1 << 18,   /* slides of one step */
  SAMPLE = 64,            /* callees that tell which are worth a closer look */
  KEPT = 16,              /* of these so many */
  ENOUGH = 8,             /* callees that are evidence without a histogram */
  NEAR = 2048,            /* bytes within which other slides must not fit alike */
  MOST_BOUNDS = 8,        /* addresses where the code may begin, or end */
  ROUNDING = 16           /* bytes by which a histogram may be larger than the code */
};

/* --- entries ------------------------------------------------------------------- */

/* How far an address is behind the entry of its function; LONG_PROLOGUE or more if it is
 * not in a prologue. */
static uint64_t behind_entry(const gp_symtab *symtab, uint64_t address) {
  uint32_t above = gp_symtab_above(symtab, address);
  if (above == 0 || address > gp_symtab_end(symtab, above - 1)) return UINT64_MAX;
  if (gp_symtab_owner(symtab, above - 1) != above - 1) return UINT64_MAX;
  return address - symtab->address[above - 1];
}

static bool is_entry(const gp_symtab *symtab, uint64_t address) {
  return behind_entry(symtab, address) < LONG_PROLOGUE;
}

size_t gp_slide_sample(const gp_data *data, const gp_symtab *symtab, size_t *looked) {
  size_t count = data->arcs.count, found = 0;
  size_t step = count / SAMPLE + 1;
  *looked = 0;
  for (size_t i = 0; i < count; i += step, ++*looked)
    found += is_entry(symtab, data->arcs.self[i]);
  return found;
}

size_t gp_slide_entries(const gp_data *data, const gp_symtab *symtab,
                        uint64_t offset) {
  size_t found = 0;
  for (size_t i = 0; i < data->arcs.count; i++)
    found += is_entry(symtab, data->arcs.self[i] - offset);
  return found;
}

/* --- the histogram's bounds ------------------------------------------------------ */

/* Where the code begins and ends, as start-up code may see it. */
typedef struct bounds {
  uint64_t low[MOST_BOUNDS], high[MOST_BOUNDS];
  size_t lows, highs;
} bounds;

static void add_bound(uint64_t *list, size_t *count, uint64_t address) {
  for (size_t i = 0; i < *count; i++)
    if (list[i] == address) return;
  if (*count < MOST_BOUNDS) list[(*count)++] = address;
}

static bool is_among(const char *const *names, const char *name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

static void find_bounds(bounds *code, const gp_image *image) {
  static const char *const lows[] = {"__executable_start", "_start", "eprol", "__eprol",
                                     "_text", "_stext", NULL};
  static const char *const highs[] = {"etext", "_etext", "__etext", NULL};
  *code = (bounds){.lows = 0};
  image = gp_image_for_symbols(image, false);
  add_bound(code->low, &code->lows, image->text_low);
  add_bound(code->high, &code->highs, image->text_high);
  for (size_t i = 0; i < image->symbol_count; i++) {
    asymbol *symbol = image->symbols[i];
    if (!symbol->name || !strchr("_e", symbol->name[0])) continue;
    if (is_among(lows, symbol->name))
      add_bound(code->low, &code->lows, bfd_asymbol_value(symbol));
    else if (is_among(highs, symbol->name))
      add_bound(code->high, &code->highs, bfd_asymbol_value(symbol));
  }
}

/* The offset by which a histogram is the code between two addresses. It is exact, or has
 * its ends rounded to whole bins, which are of four bytes in all C libraries. */
static bool offset_between(gp_range histogram, uint64_t low, uint64_t high,
                           uint64_t *offset) {
  uint64_t more = histogram.high - histogram.low - (high - low);
  if (low >= high || more >= ROUNDING) return false;
  *offset = histogram.low - (more == 0 ? low : low & ~UINT64_C(3));
  return true;
}

/* --- callees, and slides that are tried ------------------------------------------- */

typedef struct trial {
  uint64_t offset;
  size_t fitting;     /* callees, of the sample or of all */
  uint64_t behind;    /* entries: the sum over these */
  bool bounds;
} trial;

typedef struct search {
  const gp_symtab *symtab;
  uint64_t *callees;  /* ascending, each once */
  size_t count;
  trial kept[MOST_BOUNDS * MOST_BOUNDS + KEPT];  /* those that the bounds tell of first */
  size_t by_bounds, all;
} search;

static int by_address(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

static bool list_callees(search *s, const gp_data *data, gp_error *error) {
  size_t count = data->arcs.count;
  s->callees = gp_column(count, sizeof *s->callees);
  if (!s->callees) return gp_fail_memory(error);
  if (count == 0) return true;
  memcpy(s->callees, data->arcs.self, count * sizeof *s->callees);
  qsort(s->callees, count, sizeof *s->callees, by_address);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || s->callees[i] != s->callees[i - 1])
      s->callees[s->count++] = s->callees[i];
  return true;
}

/* Whether so many of so many callees are nearly all. */
static bool is_most(size_t fitting, size_t count) { return fitting >= count - count / 4; }

/* Whether so many may be as good as what is most, and leaves out a quarter. */
static bool is_half(size_t fitting, size_t count) { return fitting >= count - count / 2; }

/* What an offset makes of `few` callees, spread over all. It is given up as soon as it
 * can no more be half of them that fit. */
static trial try_offset(const search *s, uint64_t offset, size_t few) {
  trial t = {.offset = offset};
  for (size_t i = 0; i < few; i++) {
    size_t row = few == s->count ? i : i * (s->count - 1) / (few - 1);
    uint64_t behind = behind_entry(s->symtab, s->callees[row] - offset);
    if (behind < PROLOGUE) {
      t.fitting++;
      t.behind += behind;
    } else if (!is_half(t.fitting + (few - i - 1), few)) {
      break;
    }
  }
  return t;
}

/* Whether more callees fit at the first one, or as many that are nearer to entries. */
static bool is_better(const trial *a, const trial *b) {
  return a->fitting != b->fitting ? a->fitting > b->fitting : a->behind < b->behind;
}

static void add_by_bounds(search *s, gp_range histogram, const bounds *code) {
  for (size_t l = 0; l < code->lows; l++)
    for (size_t h = 0; h < code->highs; h++) {
      trial t = {.bounds = true};
      bool known = !offset_between(histogram, code->low[l], code->high[h], &t.offset);
      for (size_t i = 0; i < s->by_bounds; i++)
        known = known || s->kept[i].offset == t.offset;
      if (!known) s->kept[s->by_bounds++] = t;
    }
  s->all = s->by_bounds;
}

/* Keeps the best of those that no bounds tell of. */
static void keep(search *s, trial t) {
  for (size_t i = 0; i < s->all; i++)
    if (s->kept[i].offset == t.offset) return;
  size_t place = s->all;
  while (place > s->by_bounds && is_better(&t, &s->kept[place - 1])) place--;
  if (place == s->by_bounds + KEPT) return;
  if (s->all < s->by_bounds + KEPT) s->all++;
  memmove(&s->kept[place + 1], &s->kept[place], (s->all - place - 1) * sizeof t);
  s->kept[place] = t;
}

/* Tries the multiples of a step that put the middle half of the callees into the code:
 * whatever is right for three quarters of them does so. */
static void try_steps(search *s, uint64_t step) {
  const gp_symtab *symtab = s->symtab;
  uint64_t low = symtab->address[0];
  uint64_t high = gp_symtab_end(symtab, (uint32_t)symtab->count - 1);
  size_t quarter = s->count / 4;
  uint64_t first = s->callees[quarter], last = s->callees[s->count - 1 - quarter];
  if (high < low || last - first > high - low) return;
  uint64_t offset = last - high, room = high - low - (last - first);
  uint64_t aligned = (offset + step - 1) & ~(step - 1);
  if (aligned - offset > room) return;
  uint64_t tried = (room - (aligned - offset)) / step + 1;
  size_t few = s->count < SAMPLE ? s->count : SAMPLE;
  for (; tried > 0 && tried <= MOST_TRIED; tried--, aligned += step) {
    trial t = try_offset(s, aligned, few);
    if (is_half(t.fitting, few)) keep(s, t);
  }
}

/* Counts all callees for those that were kept. */
static void look_closer(search *s) {
  for (size_t i = 0; i < s->all; i++) {
    trial t = try_offset(s, s->kept[i].offset, s->count);
    t.bounds = s->kept[i].bounds;
    s->kept[i] = t;
  }
}

/* --- which one it is ---------------------------------------------------------------- */

/* Whether two are one, but for where in the prologue callees are recorded. */
static bool are_close(const trial *a, const trial *b) {
  return a->offset - b->offset < PROLOGUE || b->offset - a->offset < PROLOGUE;
}

/* Whether the best one may be so by chance: as many callees as it fits more are no more
 * than it leaves out itself. */
static bool are_alike(const search *s, const trial *best, const trial *other) {
  return best->fitting <= other->fitting ||
         best->fitting - other->fitting <= s->count - best->fitting;
}

static const trial *find_best(const search *s) {
  const trial *best = NULL;
  for (size_t i = 0; i < s->all; i++)
    if (!best || is_better(&s->kept[i], best)) best = &s->kept[i];
  return best && is_most(best->fitting, s->count) ? best : NULL;
}

/* Whether one of two that are alike is the likelier: by the bounds; or if they are close,
 * by how near callees are to entries. */
static bool is_likelier(const trial *a, const trial *b) {
  if (a->bounds != b->bounds) return a->bounds;
  double mean = (double)a->behind / (double)a->fitting;
  return are_close(a, b) && mean < (double)b->behind / (double)b->fitting;
}

/* The likeliest of those that are as good as the best one. */
static const trial *settle(const search *s, const trial *best) {
  const trial *settled = best;
  for (size_t i = 0; i < s->all; i++)
    if (are_alike(s, best, &s->kept[i]) && is_likelier(&s->kept[i], settled))
      settled = &s->kept[i];
  return settled;
}

/* Whether one a little off is as good: small functions side by side have entries near any
 * address. */
static bool find_neighbour(const search *s, const trial *settled, trial *rival) {
  for (uint64_t off = PROLOGUE; !settled->bounds && off <= NEAR; off += 16) {
    *rival = try_offset(s, settled->offset + off, s->count);
    if (are_alike(s, settled, rival)) return true;
    *rival = try_offset(s, settled->offset - off, s->count);
    if (are_alike(s, settled, rival)) return true;
  }
  return false;
}

/* Another one that is as good, and as likely. */
static bool find_rival(const search *s, const trial *settled, trial *rival) {
  for (size_t i = 0; i < s->all; i++) {
    *rival = s->kept[i];
    if (rival->bounds == settled->bounds && are_alike(s, settled, rival) &&
        !are_close(rival, settled))
      return true;
  }
  return find_neighbour(s, settled, rival);
}

static bool fail_rivals(const search *s, const trial *one, const trial *other,
                        gp_error *error) {
  return gp_fail(error, "its addresses fit with a slide of %s as well as with one of %s: "
                 "%s", gp_slide_text(one->offset).text, gp_slide_text(other->offset).text,
                 s->count > 0 ? "callees are at entries of functions with both"
                              : "the histogram is of the code with both");
}

/* Chooses by arcs. */
static bool choose(search *s, gp_slide *slide, gp_error *error) {
  look_closer(s);
  const trial *best = find_best(s);
  for (size_t i = 0; !best && i < sizeof steps / sizeof *steps; i++) {
    try_steps(s, steps[i]);
    look_closer(s);
    best = find_best(s);
  }
  if (!best)
    return gp_fail(error, "no slide of its addresses puts three quarters of its %zu "
                   "callees at entries of functions", s->count);
  best = settle(s, best);
  if (!best->bounds && s->count < ENOUGH)
    return gp_fail(error, "its %zu callees are too few to tell a slide of its addresses "
                   "by", s->count);
  trial rival;
  if (find_rival(s, best, &rival)) return fail_rivals(s, best, &rival, error);
  slide->offset = best->offset;
  return true;
}

/* Chooses by the bounds of the histogram alone. */
static bool choose_by_bounds(search *s, gp_slide *slide, gp_error *error) {
  if (s->by_bounds == 0)
    return gp_fail(error, "has no arcs, and its histogram is larger or smaller than the "
                   "code: nothing tells of a slide of its addresses");
  if (s->by_bounds > 1) return fail_rivals(s, &s->kept[0], &s->kept[1], error);
  slide->offset = s->kept[0].offset;
  return true;
}

/* Whether all of the code lies in a histogram, less an offset. */
static bool covers(gp_range histogram, uint64_t offset, const gp_image *image) {
  uint64_t low = histogram.low - offset, high = histogram.high - offset;
  return low <= image->text_low && high > image->text_low &&
         image->text_high < high + ROUNDING;
}

/* Whether the addresses fit as they are, so that there is nothing to look for. The bounds
 * may still tell of a slide that leaves callees in prologues. */
static bool fits_unmoved(const search *s, bool covered) {
  size_t fitting = try_offset(s, 0, s->count).fitting;
  for (size_t i = 0; i < s->by_bounds; i++)
    if (s->kept[i].offset == 0) return is_most(fitting, s->count);
  for (size_t i = 0; i < s->by_bounds; i++)
    if (try_offset(s, s->kept[i].offset, s->count).fitting >= fitting) return false;
  return s->count > 0 ? is_most(fitting, s->count) : covered;
}

static bool find(search *s, gp_slide *slide, const gp_data *data, const gp_image *image,
                 gp_error *error) {
  gp_range histogram = gp_data_covered(data);
  bounds code;
  if (!list_callees(s, data, error)) return false;
  bool recorded = data->histogram_count > 0;
  find_bounds(&code, image);
  if (recorded) add_by_bounds(s, histogram, &code);
  bool done = fits_unmoved(s, !recorded || covers(histogram, 0, image)) ||
              (s->count > 0 ? choose : choose_by_bounds)(s, slide, error);
  slide->covers = recorded && covers(histogram, slide->offset, image);
  return done;
}

bool gp_slide_find(gp_slide *slide, const gp_data *data, const gp_symtab *symtab,
                   const gp_image *image, gp_error *error) {
  search s = {.symtab = symtab};
  *slide = (gp_slide){.arcs = data->arcs.count};
  bool found = find(&s, slide, data, image, error);
  free(s.callees);
  if (!found) return false;
  slide->unmoved = gp_slide_entries(data, symtab, 0);
  slide->fitting = gp_slide_entries(data, symtab, slide->offset);
  return true;
}
