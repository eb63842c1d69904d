/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the reader of inlined functions, with any byte order and pointer size.
 *
 * Parts: choices (layout, wanted addresses), and the sections. debugging.c replaces
 * libbfd.
 *
 * Properties: those of inline_maps.h.
 */
#include "../inline_maps.h"

enum { SECTIONS = 9 };
static const char *const sections[SECTIONS] = {
    ".debug_info",        ".debug_abbrev", ".debug_str",    ".debug_line_str",
    ".debug_str_offsets", ".debug_addr",   ".debug_ranges", ".debug_rnglists",
    ".debug_line"};

const size_t fuzz_part_count = 1 + SECTIONS;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[1 + SECTIONS];
  gp_image image;
  fuzz_parts(data, size, parts, 1 + SECTIONS);
  fuzz_set_image(&image, fuzz_byte(parts[0], 0), sections, parts + 1, SECTIONS);
  fuzz_check_inline_map(&image, parts[0]);
  return 0;
}
