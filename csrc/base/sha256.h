/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4). */
#ifndef GP_BASE_SHA256_H
#define GP_BASE_SHA256_H

#include <stddef.h>

enum { GP_SHA256_SIZE = 32 };

/* Computes the digest of a message. */
void gp_sha256(const void *message, size_t length, unsigned char digest[GP_SHA256_SIZE]);

#endif
