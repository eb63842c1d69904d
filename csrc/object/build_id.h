/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The id of a build.
 *
 * A linker may leave a number in an image that no other build has, mostly a hash of what
 * is in it: two files with the same are of one build, stripped or not.
 */
#ifndef GP_OBJECT_BUILD_ID_H
#define GP_OBJECT_BUILD_ID_H

#include "object/image.h"

/* The most bytes that an id has. Linkers write 8 to 20; a user may choose some more. */
#define GP_BUILD_ID_BYTES 64

/* Reads the id into `bytes`. Returns how many there are; 0 if the image has none, or none
 * of that size. */
size_t gp_build_id(const gp_image *image, unsigned char bytes[GP_BUILD_ID_BYTES]);

#endif
