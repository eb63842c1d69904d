/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An image whose sections come from an input. Replaces image.c and libbfd for the readers
 * of debugging information and landing pads.
 *
 * In place of libbfd, gp_image_locate computes the line of an address from the address;
 * every 16th address has none.
 */
#ifndef FUZZ_DEBUGGING_H
#define FUZZ_DEBUGGING_H

#include "base/range.h"
#include "object/section.h"
#include "support.h"

/* The address of the first byte of .text. Section number n, from 0, is at n + 2 times
 * this address. */
#define FUZZ_TEXT_LOW UINT64_C(0x1000)

/* Makes an image of `count` sections from parts of an input. The bits of `choices` select
 * properties of the image: 1 big-endian, 2 pointers of 4 bytes, 4 sign-extended
 * addresses, 8 stabs as well as DWARF, 16 compressed sections. `names` must stay
 * valid. */
void fuzz_set_image(gp_image *image, uint8_t choices, const char *const *names,
                    const fuzz_part *sections, size_t count);

/* Adds a file to the image that was set last, with the same properties but without stabs.
 * gp_image_open_supplementary opens the first file whose suffix its path has. */
#define FUZZ_MAX_FILES 2
void fuzz_add_file(const char *suffix, const char *const *names,
                   const fuzz_part *sections, size_t count);

/* Chooses at most FUZZ_MAX_RANGES wanted ranges of addresses. From byte `from` on, the
 * choices give the gap before each range, and its length. Returns their number. */
#define FUZZ_MAX_RANGES 8
size_t fuzz_choose_ranges(fuzz_part choices, size_t from, gp_range *ranges);

#endif
