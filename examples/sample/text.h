/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.h -- growable strings, and slices of strings. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owns its characters; an empty text is all zero. */
struct text {
    char *chars;
    size_t length, capacity;
};

/* Borrows its characters; not terminated by a zero byte. */
struct slice {
    const char *chars;
    size_t length;
};

void text_add(struct text *text, const char *string);
struct slice text_slice(const struct text *text);
void text_free(struct text *text);

bool slice_equal(struct slice a, struct slice b);
uint32_t slice_hash(struct slice s);

#endif
