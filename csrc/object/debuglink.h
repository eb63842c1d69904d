/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of other files that an image has: of the one with its debugging information,
 * and of one that several share such information in.
 *
 * libbfd opens them when it is asked for a line, whatever they are: it waits for whoever
 * writes to a pipe, and sums up the bytes of /dev/zero for their checksum, for ever. So
 * it is not to find any but those that were looked at.
 */
#ifndef GP_OBJECT_DEBUGLINK_H
#define GP_OBJECT_DEBUGLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bfd.h insists on a config.h, or on these two names */
#ifndef PACKAGE
#define PACKAGE "gprof"
#define PACKAGE_VERSION "scm"
#endif
#include <bfd.h>

/* Makes libbfd forget the names in .gnu_debuglink and .gnu_debugaltlink that may lead to
 * something other than a plain file. A name in .gnu_debuglink is one without directories
 * (the manual of objcopy, --add-gnu-debuglink); with any it is forgotten, too. */
void gp_debuglink_check(bfd *file);

/* Makes libbfd forget both. */
void gp_debuglink_forget(bfd *file);

/* The name (free() it) in .gnu_debuglink, whatever it is, and the checksum of that file;
 * the name in .gnu_debugaltlink. NULL if there is none. */
char *gp_debuglink_debug(bfd *file, uint32_t *checksum);
char *gp_debuglink_shared(bfd *file);

/* Whether the build id of a file, of `size` bytes, is the one in .gnu_debugaltlink. */
bool gp_debuglink_is_shared(bfd *file, const unsigned char *id, size_t size);

/* Puts a name in the place of that in .gnu_debugaltlink: that of the file at `path`,
 * which begins with a slash. False if there is no memory. */
bool gp_debuglink_share(bfd *file, const char *path);

#endif
