/* A hash table of words. With 4 buckets it is slow: -DBUCKETS=4096 makes it fast.
 * SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdlib.h>
#include <string.h>

#ifndef BUCKETS
#define BUCKETS 4
#endif

struct word { char text[8]; long count; struct word *next; };
static struct word *table[BUCKETS];

static struct word **bucket(const char text[8])
{
    unsigned hash = 0;
    for (int i = 0; i < 7; i++)
        hash = hash * 31 + (unsigned char)text[i];
    return &table[hash % BUCKETS];
}

static struct word *find(const char text[8])
{
    struct word *word = *bucket(text);
    while (word != NULL && memcmp(word->text, text, 8) != 0)
        word = word->next;
    return word;
}

static struct word *add(const char text[8])
{
    struct word *word = calloc(1, sizeof *word), **first = bucket(text);
    memcpy(word->text, text, 8);
    word->next = *first;
    return *first = word;
}

/* Counts a word; returns how often it has occurred so far. */
long count_word(const char text[8])
{
    struct word *word = find(text);
    if (word == NULL)
        word = add(text);
    return ++word->count;
}
