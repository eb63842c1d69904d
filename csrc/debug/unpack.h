/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls liblzma through a function pointer.
 *
 * Few images contain xz data, and some systems lack liblzma. So the core is not linked
 * with it, but calls it through this type. The module gprof.xz (csrc/lua/xz.c), loaded on
 * demand, is linked with liblzma and provides the function.
 */
#ifndef GP_DEBUG_UNPACK_H
#define GP_DEBUG_UNPACK_H

#include <stddef.h>

/* Unpacks xz data into `*bytes` (free() them). Returns NULL, or an error message: the
 * data is damaged, or larger than any symbol table. Memory grows with the output and is
 * limited to some hundred MB, whatever sizes the data claims. */
typedef const char *gp_unpack(const unsigned char *packed, size_t size,
                              unsigned char **bytes, size_t *length);

#endif
