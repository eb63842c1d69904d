/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The properties of inline maps: a map is sorted and has only wanted code; a scope
 * follows the one into which it was inlined. Time and memory are in proportion to the
 * sections, whatever sizes they claim; libFuzzer's limits check this.
 */
#ifndef FUZZ_INLINE_MAPS_H
#define FUZZ_INLINE_MAPS_H

#include "debugging.h"

/* Builds and checks the inline map of an image. From its second byte on, `choices` gives
 * the wanted addresses (see fuzz_choose_ranges). */
void fuzz_check_inline_map(const gp_image *image, fuzz_part choices);

#endif
