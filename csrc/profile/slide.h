/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slide: how much higher the addresses of a profile are than those of the image.
 *
 * A program may run at other addresses than it was linked for: position-independent
 * executables whose C library records addresses as they are, kernels and Windows programs
 * at random places, firmware that was copied to RAM. Then one number, the same for all,
 * is between what was recorded and what the image says; it can be negative.
 *
 * It is found by what cannot be chance. A callee is recorded where its prologue calls the
 * machinery of profiling, just behind its entry; a slide is right if it puts nearly all
 * of them there. And start-up code has the histogram begin and end where the code does.
 * Loaders move programs by whole pages, so these slides are tried first, then those that
 * keep the alignment of functions. What is tried lies within narrow bounds, as callees
 * are spread over the code: the work grows with the size of the code beyond their span,
 * has a limit, and needs no memory but for a list of the callees. Where functions are
 * small and close together, many slides fit; so one that was found is compared with
 * others, a little off among them, and given up if these are as good.
 *
 * slide.c finds it, slide_apply.c takes it off.
 */
#ifndef GP_PROFILE_SLIDE_H
#define GP_PROFILE_SLIDE_H

#include "gmon/gmon.h"
#include "object/image.h"
#include "symbols/symtab.h"

/* A slide, and what speaks for it. */
typedef struct gp_slide {
  uint64_t offset;    /* to be taken off the profile's addresses, modulo 2^64 */
  size_t arcs;        /* of the profile; */
  size_t fitting;     /*   so many lead to entries of functions with it, */
  size_t unmoved;     /*   and so many without */
  bool covers;        /* with it, the histogram is of all of the code */
} gp_slide;

/* A slide in a message. */
typedef struct gp_slide_string {
  char text[24];
} gp_slide_string;

/* An offset in hexadecimal, with its sign. */
gp_slide_string gp_slide_text(uint64_t offset);

/* How many arcs lead to entries of functions, or as close behind them as callees are
 * recorded, once an offset is taken off their addresses. */
size_t gp_slide_entries(const gp_data *data, const gp_symtab *symtab, uint64_t offset);

/* How many of a few arcs of a profile lead to entries of functions, and how many these
 * few are. The time for that does not depend on how many there are. */
size_t gp_slide_sample(const gp_data *data, const gp_symtab *symtab, size_t *looked);

/* Finds the slide of a profile; 0 if it fits as it is. The image's symbols have to be
 * read, if there are to be any that tell where the code ends. Errors: no slide puts three
 * quarters of the callees at entries; several do and none of them is better; few callees,
 * or none, and the bounds of the histogram tell of no slide, or of several. */
bool gp_slide_find(gp_slide *slide, const gp_data *data, const gp_symtab *symtab,
                   const gp_image *image, gp_error *error);

/* Takes an offset off all addresses: of histograms, arcs and blocks, but for callers that
 * are at none (gp_unknown_caller; in a shared library GP_OUTSIDE). Those of arcs and
 * blocks of other programs may wrap around the address space; then they are nowhere near
 * the code. Errors, after which the data are as they were: a histogram would have its end
 * before its beginning; and if `strict`, a histogram, or all callees, would lie outside
 * the address space: a positive offset is larger than they are, or with pointers of 32
 * bits a negative one too far below 0. A staging area of the data has to be emptied
 * afterwards (see add_file.h). */
bool gp_slide_apply(gp_data *data, uint64_t offset, bool strict, gp_error *error);

#endif
