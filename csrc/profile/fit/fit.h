/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fit: whether a profile was recorded by this build of the image.
 *
 * A prologue calls mcount just after the entry of its function. So nearly all recorded
 * callees are just after function entries of the right build, but few are just after
 * entries of another build. Start-up code makes the histogram begin and end with the
 * code, whose size differs between builds.
 */
#ifndef GP_PROFILE_FIT_FIT_H
#define GP_PROFILE_FIT_FIT_H

#include "gmon/gmon.h"
#include "object/image.h"
#include "symbols/symtab.h"

/* Returns the bytes from the entry of a function to an address in it. UINT64_MAX if the
 * address is in no function, or in a cold part. */
uint64_t gp_entry_distance(const gp_symtab *symtab, uint64_t address);

/* Returns the number of arcs that lead to a function's entry or prologue after `offset`
 * is subtracted. */
size_t gp_fit_entries(const gp_data *data, const gp_symtab *symtab, uint64_t offset);

/* Like gp_fit_entries, for a small sample of the arcs and an offset of 0. Sets `*sampled`
 * to the size of the sample. Takes constant time. */
size_t gp_fit_sample(const gp_data *data, const gp_symtab *symtab, size_t *sampled);

/* Whether the histogram may be from this build of the image, perhaps loaded at another
 * address. False if start-up code of this build would have made another histogram. True
 * if this cannot be decided: without a histogram or with several, for a shared library,
 * and if the histogram covers only a part of the code, which the program may have chosen.
 * Reads the image's symbols only if the histogram extends beyond the code. */
bool gp_fit_histogram(const gp_data *data, gp_image *image);

/* Whether the image has no local functions. Even start-up code has some, so "strip -x"
 * must have removed them. Also false if the image is not ELF, or if its symbols have not
 * been read. */
bool gp_fit_lacks_locals(const gp_image *image);

#endif
