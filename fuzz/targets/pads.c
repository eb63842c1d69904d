/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the readers of landing pads and of the code of functions, with any byte order
 * and pointer size.
 *
 * Parts: choices (layout), .eh_frame, .gcc_except_table. debugging.c replaces libbfd.
 *
 * Properties: there are at most as many landing pads as bytes in the tables. They are in
 * ascending order, and so is the code of functions, which does not overlap. Time is in
 * proportion to the sections; libFuzzer's limit checks this.
 */
#include <stdlib.h>

#include "../debugging.h"
#include "../support.h"
#include "debug/call_frames.h"
#include "profile/code/landing_pads.h"

enum { SECTIONS = 2 };
static const char *const sections[SECTIONS] = {".eh_frame", ".gcc_except_table"};

const size_t fuzz_part_count = 1 + SECTIONS;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ranges(const gp_image *image, size_t most) {
  size_t count;
  gp_range *ranges = gp_call_frames_ranges(image, &count);
  FUZZ_HOLDS(ranges && count <= most);
  for (size_t i = 0; i < count; i++) {
    FUZZ_HOLDS(ranges[i].low < ranges[i].high);
    FUZZ_HOLDS(i == 0 || ranges[i - 1].high <= ranges[i].low);
  }
  free(ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[1 + SECTIONS];
  gp_image image;
  gp_landing_pads pads;
  fuzz_parts(data, size, parts, 1 + SECTIONS);
  fuzz_set_image(&image, fuzz_byte(parts[0], 0), sections, parts + 1, SECTIONS);
  FUZZ_HOLDS(gp_landing_pads_find(&pads, &image));
  FUZZ_HOLDS(pads.count <= parts[2].size);
  for (size_t i = 1; i < pads.count; i++)
    FUZZ_HOLDS(pads.address[i - 1] < pads.address[i]);
  gp_landing_pads_free(&pads);
  check_ranges(&image, parts[1].size);
  return 0;
}
