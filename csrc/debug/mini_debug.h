/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MiniDebugInfo: function names in a stripped image.
 *
 * The section .gnu_debugdata holds an object file, compressed by xz, whose symbol table
 * has the names of functions that the dynamic symbol table lacks.
 */
#ifndef GP_DEBUG_MINI_DEBUG_H
#define GP_DEBUG_MINI_DEBUG_H

#include "debug/unpack.h"
#include "object/image.h"

bool gp_mini_debug_is_there(const gp_image *image);

/* Unpacks the names, adds those of the dynamic symbol table, and makes them the image's
 * mini_debug, unless it has one. Errors: the section is damaged, takes too much memory,
 * or holds no object file with symbols. */
bool gp_mini_debug_attach(gp_image *image, gp_unpack *unpack, gp_error *error);

#endif
