/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debugging files: symbols and debugging information stripped from an image.
 *
 * A debugging file (objcopy --only-keep-debug) holds an image's symbol table and its
 * debugging information. A supplementary file (dwz) holds debugging information that
 * several images share.
 *
 * This code checks whether a given file belongs to the image, and attaches it. The search
 * for such files is in lua/gprof/library/debug_file.lua.
 */
#ifndef GP_DEBUG_DEBUG_FILE_H
#define GP_DEBUG_DEBUG_FILE_H

#include "object/image.h"

/* What a debugging file must contain. */
typedef enum gp_wanted { GP_WANT_SYMBOLS, GP_WANT_LINES } gp_wanted;

/* Whether an image without debugging information can have a debugging file: it names a
 * debugging file in .gnu_debuglink, or has a build id. False if the image has debugging
 * information. */
bool gp_debug_file_is_likely(const gp_image *image);

/* Makes the file at `path` the image's debugging file, unless the image has one.
 * `image_path` names the image in messages. Errors: the file is from a different build,
 * or nothing identifies its build (see same_build.h); its .text differs; it lacks what is
 * wanted; also the errors of gp_image_open. */
bool gp_debug_file_attach(gp_image *image, const char *path, const char *image_path,
                          gp_wanted wanted, gp_error *error);

/* Attaches the supplementary file at `path`, which must be absolute, unless the image has
 * one. Errors: its build id is not the one in the image's link; also the errors of
 * gp_image_open_supplementary. */
bool gp_debug_file_attach_supplementary(gp_image *image, const char *path,
                                        gp_error *error);

#endif
