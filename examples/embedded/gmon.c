/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects a profile where there is no operating system. Compiled without -pg itself. */
#include "gmon.h"

#include <stdbool.h>

/* A call is looked for in so many places at most. */
#define MOST_PROBES 16

_Static_assert((GMON_ARCS & (GMON_ARCS - 1)) == 0, "GMON_ARCS: no power of two");

typedef struct arc {
  uintptr_t from, self;
  uint32_t count;  /* 0: the place is free */
} arc;

static uint16_t bins[GMON_BINS];
static arc arcs[GMON_ARCS];
static uintptr_t text_low, text_size;
static unsigned shift;  /* a bin is for 1 << shift bytes */
static uint32_t sampling_rate, lost;
static volatile bool collecting, counting;

static void lose(void) {
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
  else lose();
}

/* The place of a call, or a free one; NULL if there is neither. */
static arc *find(uintptr_t from, uintptr_t self) {
  uint32_t hash = ((uint32_t)from ^ (uint32_t)self << 7) * UINT32_C(2654435761) >> 16;
  for (uint32_t i = 0; i < MOST_PROBES; i++) {
    arc *place = &arcs[(hash + i) & (GMON_ARCS - 1)];
    if (place->count == 0) {
      place->from = from;
      place->self = self;
      return place;
    }
    if (place->from == from && place->self == self) return place;
  }
  return NULL;
}

/* An interrupt that calls functions while a call is being counted finds the table in
 * disorder: its own calls are lost. */
void gmon_call(uintptr_t from, uintptr_t self) {
  if (!collecting) return;
  if (counting) {
    lose();
    return;
  }
  counting = true;
  arc *place = find(from, self);
  if (place && place->count < UINT32_MAX) place->count++;
  else lose();
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
  put_u32(put, to, 1);  /* the version, and 12 bytes to spare */
  for (int i = 0; i < 3; i++) put_u32(put, to, 0);
  write_histogram(put, to);
  for (size_t i = 0; i < GMON_ARCS; i++)
    if (arcs[i].count > 0) write_arc(put, to, &arcs[i]);
}
