/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A text that is read into memory, up to a limit: pipes and devices may be endless.
 */
#ifndef GP_BASE_TEXT_H
#define GP_BASE_TEXT_H

#include "base/reader.h"

/* The most bytes of a text. */
#define GP_TEXT_MAX ((size_t)256 << 20)

/* Initialize it with zeroes. */
typedef struct gp_text {
  char *bytes;            /* allocated; a NUL follows the last one */
  size_t size, capacity;
} gp_text;

/* Appends `size` bytes. False if there is no memory. */
bool gp_text_append(gp_text *text, const void *bytes, size_t size);

void gp_text_free(gp_text *text);

#endif
