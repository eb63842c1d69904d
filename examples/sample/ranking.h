/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranking.h -- the names of a table, put in order. */
#ifndef RANKING_H
#define RANKING_H

#include "sort.h"

order by_name;  /* as in a dictionary */
order by_count; /* the most used first, and by name where that is equal */

/* All entries of `names`, sorted; the array is the caller's to free. */
struct entry **rank(const struct table *names, order *compare);

/* Folds the names, in the order they have come to, into `digest`. */
uint32_t ranking_digest(struct entry *const *ranking, size_t count,
                        uint32_t digest);

#endif
