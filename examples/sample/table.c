/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c -- a hash table of names.
 *
 * Each bucket is a linked list.  Entries never move, so pointers to them
 * stay valid while the table grows.
 */
#include "table.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void link_entry(struct table *table, struct entry *entry)
{
    struct entry **bucket = &table->buckets[entry->hash & (table->size - 1)];

    entry->next = *bucket;
    *bucket = entry;
}

static void table_grow(struct table *table)
{
    struct table larger = {NULL, table->size == 0 ? 64 : 2 * table->size, 0};

    larger.buckets = resize(NULL, larger.size, sizeof *larger.buckets);
    for (size_t i = 0; i < larger.size; i++)
        larger.buckets[i] = NULL;

    for (size_t i = 0; i < table->size; i++) {
        struct entry *next;

        for (struct entry *e = table->buckets[i]; e != NULL; e = next) {
            next = e->next;
            link_entry(&larger, e);
        }
    }
    larger.used = table->used;
    free(table->buckets);
    *table = larger;
}

/* One block of memory holds the entry, followed by its name. */
static struct entry *new_entry(struct slice name, uint32_t h)
{
    struct entry *entry = resize(NULL, sizeof *entry + name.length, 1);
    char *copy = (char *)(entry + 1);

    memcpy(copy, name.chars, name.length);
    *entry = (struct entry){NULL, {copy, name.length}, h, 0, 0};
    return entry;
}

static struct entry *find(const struct table *table, struct slice name,
                          uint32_t h)
{
    struct entry *e = table->buckets[h & (table->size - 1)];

    while (e != NULL && !(e->hash == h && slice_equal(e->name, name)))
        e = e->next;
    return e;
}

struct entry *table_entry(struct table *table, struct slice name)
{
    uint32_t h = slice_hash(name);
    struct entry *entry = table->size == 0 ? NULL : find(table, name, h);

    if (entry == NULL) {
        if (table->used == table->size)
            table_grow(table);
        entry = new_entry(name, h);
        link_entry(table, entry);
        table->used++;
    }
    return entry;
}

void table_list(const struct table *table, struct entry **entries)
{
    for (size_t i = 0; i < table->size; i++)
        for (struct entry *e = table->buckets[i]; e != NULL; e = e->next)
            *entries++ = e;
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->size; i++) {
        struct entry *next;

        for (struct entry *e = table->buckets[i]; e != NULL; e = next) {
            next = e->next;
            free(e);
        }
    }
    free(table->buckets);
    *table = (struct table){NULL, 0, 0};
}
