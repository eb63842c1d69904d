/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/gmon_out.h"

#include <errno.h>
#include <string.h>

#include "runtime/block_counts.h"
#include "runtime/clocks.h"
#include "runtime/linux.h"
#include "runtime/modules.h"
#include "runtime/output.h"
#include "runtime/snapshot.h"
#include "runtime/waiting.h"

typedef struct arc {
  uintptr_t from, self;
  uint64_t count;
} arc;

/* The sums over all tables: arcs in a hash table, and bins. */
typedef struct sums {
  uintptr_t low, high; /* range of the histogram */
  uintptr_t bias;
  arc *arcs;
  size_t buckets; /* a power of two */
  uint64_t *bins;
  size_t bin_count;
} sums;

static bool in_program(uintptr_t address) {
  return address - rec_modules->low < rec_modules->high - rec_modules->low;
}

static void count_record(void *into, const record *r, uint64_t count) {
  sums *all = into;
  (void)count;
  all->buckets += r->self != 0;
}

static void add_arc(sums *all, uintptr_t from, uintptr_t self, uint64_t count) {
  const uint64_t key =
      (from * UINT64_C(0x9e3779b97f4a7c15) ^ self) * UINT64_C(0xd6e8feb86659fd93);
  arc *a = &all->arcs[key >> 20 & (all->buckets - 1)];
  while (a->self != 0 && (a->from != from || a->self != self))
    if (++a == all->arcs + all->buckets) a = all->arcs;
  a->from = from;
  a->self = self;
  a->count += count;
}

static void add_record(void *into, const record *r, uint64_t count) {
  sums *all = into;
  const uintptr_t site = site_of(r);
  if (r->self == 0) {
    if (site - all->low < all->high - all->low)
      all->bins[(site - all->low) / REC_BYTES_PER_BIN] += count;
  } else if (in_program(r->self)) {
    add_arc(all, in_program(site) ? site - all->bias : UINTPTR_MAX, r->self - all->bias,
            count);
  }
}

/* --- sorting arcs ----------------------------------------------------------- */

static bool precedes(const arc *a, const arc *b) {
  return a->from != b->from ? a->from < b->from : a->self < b->self;
}

static void sink(arc *arcs, size_t at, size_t count) {
  const arc moved = arcs[at];
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && precedes(&arcs[child], &arcs[child + 1])) child++;
    if (!precedes(&moved, &arcs[child])) break;
    arcs[at] = arcs[child];
  }
  arcs[at] = moved;
}

/* Uses heap sort, because qsort may allocate memory. */
static void sort(arc *arcs, size_t count) {
  for (size_t i = count / 2; i-- > 0;) sink(arcs, i, count);
  while (count-- > 1) {
    const arc last = arcs[count];
    arcs[count] = arcs[0];
    arcs[0] = last;
    sink(arcs, 0, count);
  }
}

/* --- the file --------------------------------------------------------------- */

static void put_header(uint64_t time) {
  rec_put("gmon", 4);
  rec_put_u32(1);
  rec_put_u32(0);
  rec_put_u64(time);
}

static void put_histogram(const sums *all, uint64_t done) {
  const char tag = 0, *const unit = rec_wall ? "wall sec\0\0\0\0\0\0\0s"
                                             : "seconds\0\0\0\0\0\0\0\0s";
  rec_put(&tag, 1);
  rec_put_u64(all->low - all->bias);
  rec_put_u64(all->high - all->bias);
  rec_put_u32((uint32_t)all->bin_count);
  rec_put_u32(rec_rate > 0 ? rec_rate : REC_DEFAULT_RATE);
  rec_put(unit, 16);
  uint16_t part[512]; /* programs may have millions of bins */
  for (size_t i = 0; i < all->bin_count;) {
    size_t used = 0;
    for (; used < sizeof part / sizeof *part && i < all->bin_count; i++) {
      const uint64_t left = all->bins[i] > done ? all->bins[i] - done : 0;
      part[used++] = left < UINT16_MAX ? (uint16_t)left : UINT16_MAX;
    }
    rec_put(part, used * sizeof *part);
  }
}

/* A bin has 16 bits. Larger counts are split over several histograms, which readers
 * add. */
static void put_histograms(const sums *all) {
  uint64_t largest = 1;
  for (size_t i = 0; i < all->bin_count; i++)
    if (all->bins[i] > largest) largest = all->bins[i];
  for (uint64_t done = 0; done < largest; done += UINT16_MAX) put_histogram(all, done);
}

static void put_arcs(arc *arcs, size_t buckets) {
  size_t count = 0;
  for (size_t i = 0; i < buckets; i++)
    if (arcs[i].self != 0) arcs[count++] = arcs[i];
  sort(arcs, count);
  const char tag = 1;
  for (const arc *a = arcs; a < arcs + count; a++)
    for (uint64_t left = a->count, now; left > 0; left -= now) {
      now = left < UINT32_MAX ? left : UINT32_MAX;
      rec_put(&tag, 1);
      rec_put_u64(a->from);
      rec_put_u64(a->self);
      rec_put_u32((uint32_t)now);
    }
}

static bool allocate_sums(sums *all) {
  rec_visit_records(count_record, all);
  const size_t most = all->buckets; /* arcs */
  for (all->buckets = 1; all->buckets <= 2 * most;) all->buckets *= 2;
  all->arcs = map_memory(all->buckets * sizeof *all->arcs);
  all->bin_count = (all->high - all->low) / REC_BYTES_PER_BIN;
  all->bins = map_memory((all->bin_count + 1) * sizeof *all->bins);
  return all->arcs && all->bins;
}

static void free_sums(sums *all) {
  if (all->arcs) unmap_memory(all->arcs, all->buckets * sizeof *all->arcs);
  if (all->bins) unmap_memory(all->bins, (all->bin_count + 1) * sizeof *all->bins);
}

static bool add_up(sums *all) {
  if (!allocate_sums(all)) return false;
  rec_visit_records(add_record, all);
  return true;
}

int rec_put_gmon(uintptr_t low, uintptr_t high, uint64_t time) {
  sums all = {.low = low, .high = high, .bias = rec_modules->bias};
  const bool complete = add_up(&all);
  if (complete) {
    put_header(time);
    put_histograms(&all);
    put_arcs(all.arcs, all.buckets);
    rec_put_blocks();
  }
  free_sums(&all);
  return complete ? 0 : ENOMEM;
}
