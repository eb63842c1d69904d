/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets libbfd read object files in memory. */
#ifndef GP_OBJECT_BFD_MEMORY_H
#define GP_OBJECT_BFD_MEMORY_H

#include <stddef.h>

#include "object/libbfd.h"

/* Opens the `size` bytes at `bytes` as a libbfd file. The bytes must outlive the file.
 * NULL if there is no memory. */
bfd *gp_bfd_open_memory(const unsigned char *bytes, size_t size);

#endif
