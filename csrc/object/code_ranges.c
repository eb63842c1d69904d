/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses of an image's code. */
#include "object/code_ranges.h"

#include <stdlib.h>

#include "base/array.h"

static int compare(const void *a, const void *b) {
  const gp_range *first = a, *second = b;
  if (first->low != second->low) return first->low < second->low ? -1 : 1;
  return (first->high > second->high) - (first->high < second->high);
}

/* Drops the parts of sorted ranges that are in lower ones, and empty ranges. Returns the
 * number of the others. */
static size_t separate(gp_range *ranges, size_t count) {
  size_t kept = 0;
  uint64_t end = 0;
  for (size_t i = 0; i < count; i++) {
    gp_range range = ranges[i];
    if (range.low < end) range.low = end;
    if (range.low >= range.high) continue;
    ranges[kept++] = range;
    end = range.high;
  }
  return kept;
}

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
  qsort(ranges, *count, sizeof *ranges, compare);
  *count = separate(ranges, *count);
  return ranges;
}
