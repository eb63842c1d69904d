/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranking.h -- sorts the names of a table. */
#ifndef RANKING_H
#define RANKING_H

#include "sort.h"

order by_name;  /* alphabetical */
order by_count; /* the most used first, then by name */

/* Returns all entries of `names`, sorted; the caller frees the array. */
struct entry **rank(const struct table *names, order *compare);

/* Returns `digest` mixed with the names, in the order of the ranking. */
uint32_t ranking_digest(struct entry *const *ranking, size_t count,
                        uint32_t digest);

#endif
