/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debugging files: what strip takes away, kept in a file of its own.
 *
 * A debugging file (objcopy --only-keep-debug) has an image's symbol table and debugging
 * information. Some of the latter may be in a supplementary file, which several images
 * share (dwz).
 *
 * This code decides whether a file belongs to the image. It searches nowhere: it opens
 * only the files whose names are handed in.
 */
#ifndef GP_DEBUG_DEBUG_FILE_H
#define GP_DEBUG_DEBUG_FILE_H

#include "object/image.h"

/* What a debugging file must have. */
typedef enum gp_wanted { GP_WANT_SYMBOLS, GP_WANT_LINES } gp_wanted;

/* Whether an image has no debugging information of its own, but something to find a
 * debugging file by: its name, or a build id. */
bool gp_debug_file_is_likely(const gp_image *image);

/* Makes the file at `path` the image's debugging file, unless the image has one. It must
 * be of the same build (same_build.h). `image_path` names the image in messages. Errors:
 * it is of another build, or that cannot be told; its code has other addresses; it lacks
 * what is wanted; and those of gp_image_open. */
bool gp_debug_file_attach(gp_image *image, const char *path, const char *image_path,
                          gp_wanted wanted, gp_error *error);

/* Makes the file at `path`, an absolute path, the image's supplementary file, unless it
 * has one. Errors: its build id is not the one that the image records; and those of
 * gp_image_open. */
bool gp_debug_file_attach_supplementary(gp_image *image, const char *path,
                                        gp_error *error);

/* Whether an image needs a supplementary file and none is attached. */
bool gp_debug_file_lacks_supplementary(const gp_image *image);

#endif
