/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An image whose debugging sections are an input's: stands in for image.c, section.c and
 * libbfd where line tables are read.
 *
 * libbfd says of an address what follows from the address: every 16th has no line.
 */
#ifndef FUZZ_DEBUGGING_H
#define FUZZ_DEBUGGING_H

#include "object/section.h"
#include "support.h"

/* .debug_info, .debug_abbrev, .debug_line, .debug_str, .debug_line_str and
 * .debug_str_offsets, in this order. */
enum { FUZZ_SECTIONS = 6 };

/* Where the code begins. */
#define FUZZ_TEXT_LOW UINT64_C(0x1000)

/* Makes an image of parts of an input. Bits of the choices: 1 for big-endian numbers, 2
 * for pointers of 4 bytes, 4 for addresses with a sign, 8 for other debugging information
 * besides. */
void fuzz_set_image(gp_image *image, uint8_t choices, const fuzz_part *sections);

#endif
