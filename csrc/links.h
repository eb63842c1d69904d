/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of other files that an image has: of the one with its debugging information,
 * and of one that several share such information in.
 *
 * libbfd opens them when it is asked for a line, whatever they are: it waits for whoever
 * writes to a pipe, and sums up the bytes of /dev/zero for their checksum, for ever.
 */
#ifndef GP_LINKS_H
#define GP_LINKS_H

/* bfd.h insists on a config.h, or on these two names */
#ifndef PACKAGE
#define PACKAGE "gprof"
#define PACKAGE_VERSION "scm"
#endif
#include <bfd.h>

/* Makes libbfd forget the names in .gnu_debuglink and .gnu_debugaltlink that may lead to
 * something other than a plain file. A name in .gnu_debuglink is one without directories
 * (the manual of objcopy, --add-gnu-debuglink); with any it is forgotten, too. */
void gp_links_check(bfd *file);

#endif
