/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation failures on demand. The compiler includes this header first in each source
 * of the core.
 *
 * Failures affect allocations of the core and of the Lua states that starve.c makes, but
 * not allocations of libbfd and libiberty.
 */
#ifndef GP_SCARCE_H
#define GP_SCARCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *scarce_malloc(size_t size);
void *scarce_calloc(size_t count, size_t size);
void *scarce_realloc(void *memory, size_t size);
char *scarce_strdup(const char *text);
int scarce_asprintf(char **text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void scarce_free(void *memory);

#define malloc scarce_malloc
#define calloc scarce_calloc
#define realloc scarce_realloc
#define strdup scarce_strdup
#define asprintf scarce_asprintf
#define free scarce_free

/* Makes allocation number `failing` from now on fail, and all later ones if `lasting`;
 * none if `failing` is 0. Returns the number of allocations since the last call. */
long scarce_begin(long failing, bool lasting);

/* Ends the failures, if they have begun. */
void scarce_relieve(void);

/* Counts an allocation and returns whether it must fail. Used by allocators in other
 * files. */
bool scarce_fails(void);

/* Returns the number of blocks that the core allocated and did not free. */
size_t scarce_live(void);

#endif
