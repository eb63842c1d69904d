/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the reader of inlined functions with other files: a split file or a package of
 * such files, and a supplementary file (dwz).
 *
 * Parts: choices (layout, package or not, wanted addresses), and the sections of the
 * image, the split file or package, and the supplementary file. debugging.c replaces
 * libbfd.
 *
 * Properties: those of inline_maps.h; every file is closed.
 */
#include "../inline_maps.h"

/* The choice between one split file, whatever its name, and a package. */
enum { A_PACKAGE = 32 };

enum { OWN = 7, SPLIT = 6, SHARED = 3 };
static const char *const own[OWN] = {
    ".debug_info", ".debug_abbrev", ".debug_str", ".debug_addr",
    ".debug_ranges", ".debug_rnglists", ".debug_line"};
static const char *const split[SPLIT] = {
    ".debug_info.dwo", ".debug_abbrev.dwo", ".debug_str.dwo", ".debug_str_offsets.dwo",
    ".debug_rnglists.dwo", ".debug_cu_index"};
static const char *const shared[SHARED] = {".debug_info", ".debug_abbrev", ".debug_str"};

enum { PARTS = 1 + OWN + SPLIT + SHARED };
const size_t fuzz_part_count = PARTS;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[PARTS];
  gp_image image;
  gp_error error = {""};
  fuzz_parts(data, size, parts, PARTS);
  uint8_t choices = fuzz_byte(parts[0], 0);
  bool package = (choices & A_PACKAGE) != 0;
  fuzz_set_image(&image, choices, own, parts + 1, OWN);
  fuzz_add_file(".dwz", shared, parts + 1 + OWN + SPLIT, SHARED);
  fuzz_add_file(package ? ".dwp" : "", split, parts + 1 + OWN, SPLIT);
  image.supplementary = gp_image_open_supplementary("image.dwz", &error);
  fuzz_check_inline_map(&image, parts[0]);
  gp_image_close(image.supplementary);
  return 0;
}
