/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.h -- a hash table of names. */
#ifndef TABLE_H
#define TABLE_H

#include "field.h"
#include "text.h"

struct entry {
    struct entry *next; /* in the same bucket */
    struct slice name;  /* the table owns the characters */
    uint32_t hash;
    field value;    /* last assigned; initially zero */
    unsigned count; /* number of uses */
};

/* An empty table is all zero. */
struct table {
    struct entry **buckets;
    size_t size; /* number of buckets, zero or a power of two */
    size_t used; /* number of entries */
};

/* Returns the entry of `name`; creates it if it does not exist. */
struct entry *table_entry(struct table *table, struct slice name);

/* Stores all `used` entries into `entries`, in unspecified order. */
void table_list(const struct table *table, struct entry **entries);

void table_free(struct table *table);

#endif
