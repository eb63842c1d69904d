/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Object files in memory.
 */
#ifndef GP_OBJECT_BFD_MEMORY_H
#define GP_OBJECT_BFD_MEMORY_H

#include <stddef.h>

#include "object/libbfd.h"

/* Opens `bytes` for reading by libbfd. They must outlive the result. NULL if there is no
 * memory. */
bfd *gp_bfd_open_memory(const unsigned char *bytes, size_t size);

#endif
