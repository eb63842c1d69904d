/* A program that spends its time in the C library: see "Libraries and threads" in the
 * manual.
 * SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdlib.h>
#include <string.h>

static char from[1 << 20], to[1 << 20];

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void sort(int *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = rand() % count;
    qsort(numbers, count, sizeof *numbers, compare);
}

static void copy(int times)
{
    for (int i = 0; i < times; i++)
        memmove(to, from + i % 2, sizeof to - 1);
}

int main(void)
{
    static int numbers[400000];
    sort(numbers, 400000);
    copy(2000);
    return to[0];
}
