/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ranking.c -- sorts the names of a table.
 *
 * Both orders are total: no two entries are equal in either, so the result
 * does not depend on the sorting algorithm.
 */
#include "ranking.h"

#include "memory.h"

int by_name(const struct entry *a, const struct entry *b)
{
    const char *x = a->name.chars, *y = b->name.chars;
    size_t m = a->name.length, n = b->name.length;
    size_t i = 0;

    while (i < m && i < n && x[i] == y[i])
        i++;
    if (i < m && i < n)
        return x[i] < y[i] ? -1 : 1;
    return (m > n) - (m < n);
}

int by_count(const struct entry *a, const struct entry *b)
{
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return by_name(a, b);
}

struct entry **rank(const struct table *names, order *compare)
{
    struct entry **ranking = resize(NULL, names->used, sizeof *ranking);

    table_list(names, ranking);
    sort(ranking, names->used, compare);
    return ranking;
}

uint32_t ranking_digest(struct entry *const *ranking, size_t count,
                        uint32_t digest)
{
    for (size_t i = 0; i < count; i++)
        digest = digest * 31 + ranking[i]->hash + ranking[i]->value;
    return digest;
}
