/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.h -- a hash table of names. */
#ifndef TABLE_H
#define TABLE_H

#include "field.h"
#include "text.h"

struct entry {
    struct entry *next; /* in the same bucket */
    struct slice name;  /* the characters are the table's own */
    uint32_t hash;
    field value;    /* last assigned, at first zero */
    unsigned count; /* times met */
};

/* All zero is an empty table. */
struct table {
    struct entry **buckets;
    size_t size; /* number of buckets, zero or a power of two */
    size_t used; /* number of entries */
};

/* The entry of `name`, which is made if there is none. */
struct entry *table_entry(struct table *table, struct slice name);

/* Stores all `used` entries into `entries`, in no useful order. */
void table_list(const struct table *table, struct entry **entries);

void table_free(struct table *table);

#endif
