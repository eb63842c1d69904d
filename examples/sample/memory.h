/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.h -- allocation that exits the program on failure. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Like realloc() for `count` items of `size` bytes (both > 0); never NULL. */
void *resize(void *block, size_t count, size_t size);

#endif
