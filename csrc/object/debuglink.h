/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An image's links to other files: .gnu_debuglink names its debugging file, and
 * .gnu_debugaltlink or, since DWARF 5, .debug_sup its supplementary file, in which
 * several images share debugging information.
 *
 * libbfd follows the first two links when it looks up a line. It opens a file of any
 * type: it blocks on a pipe, and never finishes the checksum of /dev/zero. So links that
 * have not been checked are hidden from libbfd.
 */
#ifndef GP_OBJECT_DEBUGLINK_H
#define GP_OBJECT_DEBUGLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/libbfd.h"

/* Hides a link from libbfd if it may lead to something other than a regular file. A name
 * in .gnu_debuglink must not contain directories (the manual of objcopy,
 * --add-gnu-debuglink); a link with such a name is also hidden. */
void gp_debuglink_check(bfd *file);

/* Hides the links from libbfd. */
void gp_debuglink_forget(bfd *file);

/* Returns the name in .gnu_debuglink (free() it), or NULL. Sets *checksum to the CRC that
 * the link gives for the file. */
char *gp_debuglink_debug(bfd *file, uint32_t *checksum);

/* Whether a file has a link to a supplementary file. */
bool gp_debuglink_has_supplementary(bfd *file);

/* Returns the name of the supplementary file (free() it), or NULL. */
char *gp_debuglink_supplementary(bfd *file);

/* Whether `found`, with a build id of `size` bytes, is the supplementary file: it has the
 * build id in .gnu_debugaltlink, or the checksum in .debug_sup. */
bool gp_debuglink_is_supplementary(bfd *file, bfd *found, const unsigned char *id,
                                   size_t size);

/* Redirects .gnu_debugaltlink to the file at `path`, an absolute path. libbfd does not
 * read .debug_sup. False if there is no memory. */
bool gp_debuglink_set_supplementary(bfd *file, const char *path);

#endif
