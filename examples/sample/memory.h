/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.h -- allocation that succeeds or ends the program. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* As realloc(), for `count` items of `size` bytes, neither zero; never NULL. */
void *resize(void *block, size_t count, size_t size);

#endif
