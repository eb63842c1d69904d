/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c -- growable strings, and slices of strings.
 *
 * The lexer returns slices of the page that it reads, so a name is copied
 * only at its first use.
 */
#include "text.h"

#include "memory.h"

#include <stdlib.h>

/* Doubles the capacity, so that adding n characters takes O(n) time. */
static void text_grow(struct text *text)
{
    text->capacity = text->capacity == 0 ? 256 : 2 * text->capacity;
    text->chars = resize(text->chars, text->capacity, 1);
}

void text_add(struct text *text, const char *string)
{
    for (; *string != '\0'; string++) {
        if (text->length == text->capacity)
            text_grow(text);
        text->chars[text->length++] = *string;
    }
}

struct slice text_slice(const struct text *text)
{
    return (struct slice){text->chars, text->length};
}

void text_free(struct text *text)
{
    free(text->chars);
    *text = (struct text){NULL, 0, 0};
}

bool slice_equal(struct slice a, struct slice b)
{
    size_t i = 0;

    if (a.length != b.length)
        return false;
    while (i < a.length && a.chars[i] == b.chars[i])
        i++;
    return i == a.length;
}

/* FNV-1a (Fowler, Noll, Vo): simple, and good for short strings. */
uint32_t slice_hash(struct slice s)
{
    uint32_t h = UINT32_C(2166136261);

    for (size_t i = 0; i < s.length; i++)
        h = (h ^ (unsigned char)s.chars[i]) * UINT32_C(16777619);
    return h;
}
