/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Build ids.
 *
 * A linker may store a unique id in an image, usually a hash of its contents. Files with
 * the same id come from the same build, stripped or not.
 */
#ifndef GP_OBJECT_BUILD_ID_H
#define GP_OBJECT_BUILD_ID_H

#include "object/image.h"

/* The longest build id in bytes. Linkers write 8 to 20; a user may choose more. */
#define GP_BUILD_ID_BYTES 64

/* Reads the build id. Returns its length; 0 if the image has none, or one longer than
 * GP_BUILD_ID_BYTES. */
size_t gp_build_id(const gp_image *image, unsigned char bytes[GP_BUILD_ID_BYTES]);

#endif
