/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of an image that are in other files.
 *
 * What strip takes away may be kept in a debugging file (objcopy --only-keep-debug): the
 * symbol table, and the debugging information. Some of that, in turn, may be in a file
 * that several images share (dwz). And the names of functions may be in the image, as an
 * object file of its own that is packed (.gnu_debugdata).
 *
 * Here it is decided whether a file is the one that is meant. Where it is looked for is
 * no matter of this: names of files are handed in, and nothing is opened but these.
 */
#ifndef GP_DEBUG_DEBUG_FILE_H
#define GP_DEBUG_DEBUG_FILE_H

#include "debug/unpack.h"
#include "object/image.h"

/* What a debugging file has to have. */
typedef enum gp_wanted { GP_WANT_SYMBOLS, GP_WANT_LINES } gp_wanted;

/* Whether an image has no debugging information of its own, of any kind, but something by
 * which a file with it is found: its name, or a build id. */
bool gp_debug_file_is_likely(const gp_image *image);

/* Makes the file at `path` the image's debugging file, unless it has one, in which case
 * nothing happens. It has to be of the same build: to have the same build id, or, where
 * either has none, the checksum that .gnu_debuglink tells of. Errors: it is of another
 * build, or nobody can tell; its code is elsewhere; it has not what is wanted; and those
 * of gp_image_open. `image_path` is what messages call the image. */
bool gp_debug_file_attach(gp_image *image, const char *path, const char *image_path,
                          gp_wanted wanted, gp_error *error);

/* Makes the file at `path`, which begins with a slash, the one that debugging information
 * is shared in, unless there is one. Errors: its build id is not the one that the image
 * tells of; and those of gp_image_open. */
bool gp_debug_file_share(gp_image *image, const char *path, gp_error *error);

/* Takes names of functions from .gnu_debugdata, and those from the dynamic symbol table
 * that are left out there. Errors: it is damaged, takes too much memory, or holds no
 * object file with symbols. */
bool gp_debug_file_unpack(gp_image *image, gp_unpack *unpack, gp_error *error);
bool gp_debug_file_is_packed(const gp_image *image);

/* The image that has the symbols: itself, its debugging file, or what was unpacked. For
 * GNU gprof (`gnu_compat`) it is always itself. Its symbols may still have to be read. */
gp_image *gp_debug_file_symbols(gp_image *image, bool gnu_compat);

/* The same of an image that is only looked at: symbols that have been read. */
static inline const gp_image *gp_debug_file_known_symbols(const gp_image *image,
                                                          bool gnu_compat) {
  return gp_debug_file_symbols((gp_image *)image, gnu_compat);
}

/* The image that has the debugging information, likewise. */
const gp_image *gp_debug_file_lines(const gp_image *image, bool gnu_compat);

/* Whether an image shares debugging information with others that was not found. */
bool gp_debug_file_is_partial(const gp_image *image);

/* The name (free() it) of the first file that a compiler put debugging information aside
 * into (-gsplit-dwarf), as it is recorded. NULL if there is none. libbfd 2.40 does not
 * read such files: lines are known without, but not the names of inlined functions. */
char *gp_debug_file_split(const gp_image *image);

#endif
