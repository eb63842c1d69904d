/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slide: the difference between the addresses of a profile and the image's.
 *
 * A program may run at addresses other than those it was linked for: a
 * position-independent executable whose C library records run-time addresses, a kernel or
 * Windows program at a random address, firmware copied to RAM. Then the recorded
 * addresses differ from the image's by a constant, which can be negative.
 *
 * Two facts identify the slide. First, a prologue calls mcount just after the entry of
 * its function, so the right slide moves nearly all recorded callees to addresses just
 * after function entries. Second, start-up code makes the histogram begin and end with
 * the code. Loaders move programs by whole pages. Only the histogram can show another
 * slide: after a rebuild, nearly all functions may have moved by a common distance.
 *
 * Callees are spread over the code, so only few slides can fit. The number of tried
 * slides grows with the size of the code minus the span of the callees, and is limited.
 * Where functions are small and close together, many slides fit. So the result is
 * compared with other slides, including nearby ones, and rejected if one of them is
 * equally good.
 *
 * slide.c finds the slide; slide_apply.c subtracts it.
 */
#ifndef GP_PROFILE_FIT_SLIDE_H
#define GP_PROFILE_FIT_SLIDE_H

#include "gmon/gmon.h"
#include "object/image.h"
#include "symbols/symtab.h"

/* A slide and its evidence. */
typedef struct gp_slide {
  uint64_t offset;    /* slide to subtract from the profile's addresses, modulo 2^64 */
  size_t arcs;        /* number of arcs in the profile */
  size_t fitting;     /* arcs that lead to function entries when the slide is
                         subtracted */
  size_t unmoved;     /* arcs that lead to function entries without a slide */
  bool covers;        /* the histogram covers all of the code when the slide is
                         subtracted */
  bool by_loader;     /* a loader can have moved the image by this offset */
} gp_slide;

typedef struct gp_slide_string {
  char text[24];
} gp_slide_string;

/* Formats an offset in hexadecimal, with its sign. */
gp_slide_string gp_slide_text(uint64_t offset);

/* Finds the slide of a profile; its offset is 0 if the addresses fit without one. If the
 * image's symbols have been read, symbols such as etext also mark the ends of the code.
 * Errors: no slide moves three quarters of the callees to entries; several slides are
 * equally good; there are few or no callees, and the ends of the histogram match no
 * slide or several; no memory. */
bool gp_slide_find(gp_slide *slide, const gp_data *data, const gp_symtab *symtab,
                   const gp_image *image, gp_error *error);

/* Subtracts an offset from all addresses of histograms, arcs and blocks, except for
 * callers without an address (gp_unknown_caller; in a shared library GP_OUTSIDE).
 * Addresses of arcs and blocks may wrap around the address space: addresses that belong
 * to other programs are far from the code anyway. Afterwards, any staging area of the
 * data must be emptied (see add_file.h).
 *
 * Errors, which leave the data unchanged: a histogram would end before it begins; no
 * memory; and if `strict`, a histogram or all callees would leave the address space. */
bool gp_slide_apply(gp_data *data, uint64_t offset, bool strict, gp_error *error);

#endif
