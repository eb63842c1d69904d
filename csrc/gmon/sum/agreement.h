/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the counts of two sums. A missing arc or histogram equals one whose counts are
 * 0.
 */
#ifndef GP_GMON_SUM_AGREEMENT_H
#define GP_GMON_SUM_AGREEMENT_H

#include "gmon/gmon.h"

bool gp_have_same_calls(const gp_data *a, const gp_data *b);
bool gp_have_same_samples(const gp_data *a, const gp_data *b);

#endif
