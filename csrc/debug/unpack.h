/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * liblzma, by reference.
 *
 * Few images have anything that is packed by it, and not every system has it. So the core
 * is not linked with it, but calls this function. The module gprof.xz (csrc/lua/xz.c) is
 * linked with it, holds the function, and is loaded when it is wanted.
 */
#ifndef GP_DEBUG_UNPACK_H
#define GP_DEBUG_UNPACK_H

#include <stddef.h>

/* Unpacks what is in the format of xz, into `*bytes` (free() them). Returns NULL, or what
 * is wrong: that it is damaged, or more than a table of symbols ever has. Memory goes by
 * what comes out, and no number in there makes it more than some hundred MB. */
typedef const char *gp_unpack(const unsigned char *packed, size_t size,
                              unsigned char **bytes, size_t *length);

#endif
