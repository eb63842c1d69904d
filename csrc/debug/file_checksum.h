/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CRC-32 checksum of a file, as stored in .gnu_debuglink.
 *
 * Holes of sparse files are skipped. A sparse file may claim any size, but the time
 * depends only on the data that it stores.
 */
#ifndef GP_DEBUG_FILE_CHECKSUM_H
#define GP_DEBUG_FILE_CHECKSUM_H

#include <stdint.h>

#include "base/error.h"

/* Computes the checksum of the regular file at `path`. */
bool gp_file_checksum(const char *path, uint32_t *sum, gp_error *error);

#endif
