/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sort.c -- quicksort, with a comparison function.
 *
 * The C library's qsort() is not compiled with -pg. This one is, so a profile
 * shows its recursion and its calls through a pointer.
 */
#include "sort.h"

/* Up to this many items, insertion sort is faster than quicksort. */
enum { FEW = 8 };

static void insertion_sort(struct entry **items, size_t count, order *compare)
{
    for (size_t i = 1; i < count; i++) {
        struct entry *item = items[i];
        size_t j = i;

        for (; j > 0 && compare(item, items[j - 1]) < 0; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

static struct entry *median(struct entry *a, struct entry *b, struct entry *c,
                            order *compare)
{
    if (compare(a, b) < 0) {
        if (compare(b, c) < 0)
            return b;
        return compare(a, c) < 0 ? c : a;
    }
    if (compare(a, c) < 0)
        return a;
    return compare(b, c) < 0 ? c : b;
}

/*
 * Hoare's partition: afterwards no item of the left part is greater than any
 * item of the right part.  Returns the length of the left part.  The pivot is
 * a median of three, so neither part is empty.
 */
static size_t partition(struct entry **items, size_t count, order *compare)
{
    struct entry *pivot =
        median(items[0], items[count / 2], items[count - 1], compare);
    size_t i = 0, j = count - 1;

    for (;;) {
        struct entry *item;

        while (compare(items[i], pivot) < 0)
            i++;
        while (compare(pivot, items[j]) < 0)
            j--;
        if (i >= j)
            return j + 1;
        item = items[i];
        items[i++] = items[j];
        items[j--] = item;
    }
}

/* Recurses into the shorter part only, so the stack stays shallow. */
void sort(struct entry **items, size_t count, order *compare)
{
    while (count > FEW) {
        size_t left = partition(items, count, compare);
        size_t right = count - left;

        if (left < right) {
            sort(items, left, compare);
            items += left;
            count = right;
        } else {
            sort(items + left, right, compare);
            count = left;
        }
    }
    insertion_sort(items, count, compare);
}
