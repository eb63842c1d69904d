/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two sums of profiles, for targets that read the same data in two ways.
 */
#ifndef FUZZ_SAMENESS_H
#define FUZZ_SAMENESS_H

#include "gmon/gmon.h"

/* Whether `many` has the same records as `one`, in the same order, with counts multiplied
 * by `times`. */
bool fuzz_is_multiple(const gp_data *one, const gp_data *many, uint64_t times);

/* Checks that the histograms of a sum have bins and are found by their addresses. */
void fuzz_check_data(const gp_data *data);

#endif
