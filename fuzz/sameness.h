/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether two sums of profiles hold the same, for the targets that read some in two ways.
 */
#ifndef FUZZ_SAMENESS_H
#define FUZZ_SAMENESS_H

#include "gmon/gmon.h"

/* Whether each record of `many` is one of `one`, at the same place, with so many times
 * its count. */
bool fuzz_is_multiple(const gp_data *one, const gp_data *many, uint64_t times);

/* What holds for any sum: its histograms are found by their addresses, and have bins. */
void fuzz_check_data(const gp_data *data);

#endif
