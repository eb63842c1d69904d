/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects a profile without an operating system. Compile without -pg. */
#include "gmon.h"

#include <stdbool.h>

/* One lookup reads at most this many slots of the hash table, so the time of a call is
 * bounded. */
#define MAX_PROBES 16

_Static_assert((GMON_ARCS & (GMON_ARCS - 1)) == 0, "GMON_ARCS must be a power of two");

typedef struct arc {
  uintptr_t from, self;
  uint32_t count;  /* 0: the slot is free */
} arc;

static uint16_t bins[GMON_BINS];
static arc arcs[GMON_ARCS];
static uintptr_t text_low, text_size;
static unsigned shift;  /* a bin covers 1 << shift bytes of code */
static uint32_t sampling_rate, lost;
static volatile bool collecting, counting;

static void count_lost(void) {
  if (lost < UINT32_MAX) lost++;
}

void gmon_start(uintptr_t low, uintptr_t high, uint32_t rate) {
  collecting = false;
  for (size_t i = 0; i < GMON_BINS; i++) bins[i] = 0;
  for (size_t i = 0; i < GMON_ARCS; i++) arcs[i].count = 0;
  text_low = low;
  text_size = high - low;
  sampling_rate = rate;
  lost = 0;
  shift = 1;
  while (text_size > 0 && (text_size - 1) >> shift >= GMON_BINS) shift++;
  collecting = true;
}

void gmon_sample(uintptr_t pc) {
  if (!collecting || pc - text_low >= text_size) return;
  uint16_t *bin = &bins[(pc - text_low) >> shift];
  if (*bin < UINT16_MAX) ++*bin;
  else count_lost();
}

/* Returns the slot of a call, or a free slot for it; NULL if all probed slots are
 * taken. */
static arc *find(uintptr_t from, uintptr_t self) {
  uint32_t hash = ((uint32_t)from ^ (uint32_t)self << 7) * UINT32_C(2654435761) >> 16;
  for (uint32_t i = 0; i < MAX_PROBES; i++) {
    arc *slot = &arcs[(hash + i) & (GMON_ARCS - 1)];
    if (slot->count == 0) {
      slot->from = from;
      slot->self = self;
      return slot;
    }
    if (slot->from == from && slot->self == self) return slot;
  }
  return NULL;
}

/* An interrupt may come while the table is being changed. The calls that its handler
 * makes are then counted as lost, so that the table stays consistent. */
void gmon_call(uintptr_t from, uintptr_t self) {
  if (!collecting) return;
  if (counting) {
    count_lost();
    return;
  }
  counting = true;
  arc *slot = find(from, self);
  if (slot && slot->count < UINT32_MAX) slot->count++;
  else count_lost();
  counting = false;
}

uint32_t gmon_lost(void) { return lost; }

/* --- writing ------------------------------------------------------------------- */

static void put_byte(gmon_put *put, void *to, uint8_t byte) { put(to, &byte, 1); }

static void put_u32(gmon_put *put, void *to, uint32_t value) {
  put(to, &value, sizeof value);
}

static void put_address(gmon_put *put, void *to, uintptr_t value) {
  put(to, &value, sizeof value);
}

static void write_histogram(gmon_put *put, void *to) {
  uint32_t count = text_size > 0 ? (uint32_t)((text_size - 1) >> shift) + 1 : 0;
  if (sampling_rate == 0 || count == 0) return;
  put_byte(put, to, 0);
  put_address(put, to, text_low);
  put_address(put, to, text_low + ((uintptr_t)count << shift));
  put_u32(put, to, count);
  put_u32(put, to, sampling_rate);
  put(to, "seconds\0\0\0\0\0\0\0\0s", 16);
  put(to, bins, count * sizeof *bins);
}

static void write_arc(gmon_put *put, void *to, const arc *a) {
  put_byte(put, to, 1);
  put_address(put, to, a->from);
  put_address(put, to, a->self);
  put_u32(put, to, a->count);
}

void gmon_write(gmon_put *put, void *to) {
  collecting = false;
  put(to, "gmon", 4);
  put_u32(put, to, 1);  /* version; 12 reserved bytes follow */
  for (int i = 0; i < 3; i++) put_u32(put, to, 0);
  write_histogram(put, to);
  for (size_t i = 0; i < GMON_ARCS; i++)
    if (arcs[i].count > 0) write_arc(put, to, &arcs[i]);
}
