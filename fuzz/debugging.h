/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An image whose debugging sections come from an input. Replaces image.c and libbfd for
 * the reader of line tables.
 *
 * In place of libbfd, gp_image_locate computes the line of an address from the address;
 * every 16th address has none.
 */
#ifndef FUZZ_DEBUGGING_H
#define FUZZ_DEBUGGING_H

#include "object/section.h"
#include "support.h"

/* .debug_info, .debug_abbrev, .debug_line, .debug_str, .debug_line_str and
 * .debug_str_offsets, in this order. */
enum { FUZZ_SECTIONS = 6 };

/* The address of the first byte of .text. */
#define FUZZ_TEXT_LOW UINT64_C(0x1000)

/* Makes an image from parts of an input. The bits of `choices` select properties of the
 * image: 1 big-endian, 2 pointers of 4 bytes, 4 sign-extended addresses, 8 stabs as well
 * as DWARF, 16 compressed sections. */
void fuzz_set_image(gp_image *image, uint8_t choices, const fuzz_part *sections);

#endif
