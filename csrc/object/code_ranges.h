/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The addresses of an image's code: .text and other sections, such as those that
 * __attribute__((section)) makes.
 *
 * The C library's profiles cover .text only, those of boards may cover all code.
 */
#ifndef GP_OBJECT_CODE_RANGES_H
#define GP_OBJECT_CODE_RANGES_H

#include "base/range.h"
#include "object/image.h"

/* Returns the ranges (free() them), ascending and disjoint, and sets `*count`. In an
 * unlinked file, all sections begin at 0, so there is only .text. Together, the other
 * sections may claim as many bytes as .text may. NULL if there is no memory. */
gp_range *gp_code_ranges(const gp_image *image, size_t *count);

#endif
