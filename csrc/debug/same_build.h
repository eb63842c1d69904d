/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether another file is of the same build as an image.
 */
#ifndef GP_DEBUG_SAME_BUILD_H
#define GP_DEBUG_SAME_BUILD_H

#include "object/image.h"

/* Compares the build ids; where either file has none, the checksum of the file at `path`,
 * which is `found`, with the one in the image's .gnu_debuglink. `image_path` names the
 * image in messages. False, with an error, if they differ or there is nothing to
 * compare. */
bool gp_same_build(const gp_image *image, const gp_image *found, const char *path,
                   const char *image_path, gp_error *error);

/* Whether .text is where the image's is: some tools move the code of a linked image. Then
 * sets the end of `found`'s code to the image's. */
bool gp_same_code(const gp_image *image, gp_image *found, gp_error *error);

#endif
