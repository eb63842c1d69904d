/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether another file is from the same build as an image.
 */
#ifndef GP_DEBUG_SAME_BUILD_H
#define GP_DEBUG_SAME_BUILD_H

#include "object/image.h"

/* Compares the build ids of an image and of `found`, the file at `path`. If either has no
 * build id, compares the checksum of the file with the one in the image's .gnu_debuglink.
 * `image_path` names the image in messages. Errors: the ids or checksums differ, or there
 * is nothing to compare. */
bool gp_same_build(const gp_image *image, const gp_image *found, const char *path,
                   const char *image_path, gp_error *error);

/* Whether `found` has the image's architecture, and a .text with the same address and
 * size. Some tools move the code of a linked image, so even files of the same build may
 * differ. If true, sets the end of `found`'s code to the image's. */
bool gp_same_code(const gp_image *image, gp_image *found, gp_error *error);

#endif
