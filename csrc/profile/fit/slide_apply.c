/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subtracts a slide from the addresses of a profile. */
#include <inttypes.h>
#include <stdio.h>

#include "profile/fit/slide.h"

gp_slide_string gp_slide_text(uint64_t offset) {
  gp_slide_string string;
  bool negative = offset >> 63;
  snprintf(string.text, sizeof string.text, "%s0x%" PRIx64, negative ? "-" : "",
           negative ? -offset : offset);
  return string;
}

/* Returns the highest address of the profiled machine. */
static uint64_t highest(const gp_data *data) {
  return data->layout.pointer_size < 8 ? UINT32_MAX : UINT64_MAX;
}

/* Whether an address minus the offset is below 0, or above the highest address. With
 * 64-bit addresses, only an address below 0 can be detected: an offset with the sign bit
 * set may also be a positive offset of 2^63 or more. */
static bool leaves(const gp_data *data, uint64_t address, uint64_t offset) {
  bool negative = offset >> 63;
  if (!negative) return address < offset;
  return highest(data) < UINT64_MAX && address - offset > highest(data);
}

static bool fail_leaving(uint64_t offset, uint64_t address, gp_error *error) {
  return gp_fail(error, "a slide of %s moves address 0x%" PRIx64
                 " out of the address space", gp_slide_text(offset).text, address);
}

/* Whether the subtraction wraps around the address space. */
static bool wraps(const gp_data *data, uint64_t address, uint64_t offset) {
  return address < (offset & highest(data));
}

/* Checks that all histograms stay in order, and that none is split by wrapping. */
static bool check(const gp_data *data, uint64_t offset, bool strict, gp_error *error) {
  for (size_t i = 0; i < 2 * data->histogram_count; i++) {
    const gp_histogram *h = &data->histograms[i / 2];
    uint64_t bound = i % 2 ? h->high : h->low;
    if ((strict && leaves(data, bound, offset)) ||
        wraps(data, bound, offset) != wraps(data, data->histograms[0].low, offset))
      return fail_leaving(offset, bound, error);
  }
  bool all_leave = strict && data->arcs.count > 0;
  for (size_t i = 0; all_leave && i < data->arcs.count; i++)
    all_leave = leaves(data, data->arcs.self[i], offset);
  if (all_leave) return fail_leaving(offset, data->arcs.self[0], error);
  return true;
}

static void shift(const gp_data *data, uint64_t *addresses, size_t count,
                  uint64_t offset) {
  for (size_t i = 0; i < count; i++)
    addresses[i] = (addresses[i] - offset) & highest(data);
}

/* Shifts the callers of arcs, except those without an address: unknown callers, and
 * callers outside a shared library. */
static void shift_callers(const gp_data *data, uint64_t offset) {
  const gp_arcs *arcs = &data->arcs;
  for (size_t i = 0; i < arcs->count; i++) {
    bool nowhere = arcs->from[i] == gp_unknown_caller(data->layout) ||
                   (data->shared && arcs->from[i] == GP_OUTSIDE);
    if (!nowhere) shift(data, &arcs->from[i], 1, offset);
  }
}

/* Initializes an empty index with the settings of `index` and room for all rows, which
 * `index` may have forgotten. */
static bool make_like(gp_hash *fresh, const gp_hash *index, size_t rows) {
  gp_hash_init(fresh, index->key_of, index->columns);
  return gp_hash_reserve(fresh, rows);
}

/* Enters all rows into the empty index `fresh`, and replaces `index` with it. */
static void rebuild(gp_hash *index, gp_hash *fresh, size_t rows) {
  for (uint32_t row = 0; row < rows; row++) gp_hash_add(fresh, row);
  gp_hash_free(index);
  *index = *fresh;
}

bool gp_slide_apply(gp_data *data, uint64_t offset, bool strict, gp_error *error) {
  gp_hash arcs, blocks;
  if (!check(data, offset, strict, error)) return false;
  bool room = make_like(&arcs, &data->arcs.index, data->arcs.count);
  if (!make_like(&blocks, &data->blocks.index, data->blocks.count) || !room) {
    gp_hash_free(&arcs);
    gp_hash_free(&blocks);
    return gp_fail_memory(error);
  }
  if (offset != 0) gp_call_paths_free(&data->paths);
  for (size_t i = 0; i < data->histogram_count; i++) {
    shift(data, &data->histograms[i].low, 1, offset);
    shift(data, &data->histograms[i].high, 1, offset);
  }
  shift(data, &data->full.address, 1, offset);
  shift_callers(data, offset);
  shift(data, data->arcs.self, data->arcs.count, offset);
  shift(data, data->blocks.address, data->blocks.count, offset);
  rebuild(&data->arcs.index, &arcs, data->arcs.count);
  rebuild(&data->blocks.index, &blocks, data->blocks.count);
  return true;
}
