/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses of an image's code. */
#include "object/code_ranges.h"

#include <stdlib.h>

#include "base/array.h"

gp_range *gp_code_ranges(const gp_image *image, size_t *count) {
  gp_range *ranges = gp_column(bfd_count_sections(image->file) + 1, sizeof *ranges);
  uint64_t left = gp_image_code_limit(image);
  *count = 0;
  if (!ranges) return NULL;
  ranges[(*count)++] = (gp_range){image->text_low, image->text_high};
  for (asection *section = image->file->sections; section; section = section->next) {
    uint64_t low = bfd_section_vma(section), size = bfd_section_size(section);
    if (section == image->text || !gp_image_has_code(image, section)) continue;
    if (size > left || size > UINT64_MAX - low) continue;
    ranges[(*count)++] = (gp_range){low, low + size};
    left -= size;
  }
  *count = gp_range_separate(ranges, *count);
  return ranges;
}
