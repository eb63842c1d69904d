/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file of libbfd's that is no file, but bytes in memory.
 */
#ifndef GP_OBJECT_BFD_MEMORY_H
#define GP_OBJECT_BFD_MEMORY_H

#include <stddef.h>

/* bfd.h insists on a config.h, or on these two names */
#ifndef PACKAGE
#define PACKAGE "gprof"
#define PACKAGE_VERSION "scm"
#endif
#include <bfd.h>

/* Opens it, for reading; the bytes have to outlive it. NULL if there is no memory. */
bfd *gp_bfd_memory(const unsigned char *bytes, size_t size);

#endif
