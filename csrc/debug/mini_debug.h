/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MiniDebugInfo: function names in a stripped image.
 *
 * The section .gnu_debugdata is an object file compressed by xz. Its symbol table has the
 * functions that the dynamic symbol table lacks. Source: the manual of GDB,
 * MiniDebugInfo.
 */
#ifndef GP_DEBUG_MINI_DEBUG_H
#define GP_DEBUG_MINI_DEBUG_H

#include "debug/unpack.h"
#include "object/image.h"

/* Whether the image has the section .gnu_debugdata. */
bool gp_mini_debug_present(const gp_image *image);

/* Unpacks .gnu_debugdata, adds the dynamic symbols, and makes the result the image's
 * `mini_debug`, unless the image has one. Errors: the section is damaged or takes too
 * much memory; the object file has no symbols, or its .text differs from the image's. */
bool gp_mini_debug_attach(gp_image *image, gp_unpack *unpack, gp_error *error);

#endif
