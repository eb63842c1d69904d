/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c -- allocation that exits the program on failure.
 *
 * No caller could continue without the memory, so the test for failure is
 * here, in one place.
 */
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *resize(void *block, size_t count, size_t size)
{
    void *moved = NULL;

    if (count <= SIZE_MAX / size)
        moved = realloc(block, count * size);
    if (moved == NULL) {
        fputs("sample: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return moved;
}
