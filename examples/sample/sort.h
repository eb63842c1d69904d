/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sort.h -- quicksort, with a comparison function. */
#ifndef SORT_H
#define SORT_H

#include "table.h"

/* Negative when `a` comes before `b`, positive when it comes after. */
typedef int order(const struct entry *a, const struct entry *b);

void sort(struct entry **items, size_t count, order *compare);

#endif
