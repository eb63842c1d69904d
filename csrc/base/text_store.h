/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A store of texts that are freed together.
 *
 * Texts are stored one after the other in blocks, so a short text needs no more memory
 * than its bytes.
 */
#ifndef GP_BASE_TEXT_STORE_H
#define GP_BASE_TEXT_STORE_H

#include <stddef.h>

/* Initialize it with zeroes. */
typedef struct gp_text_store {
  struct gp_text_block *newest;
} gp_text_store;

/* Returns room for `size` bytes, valid until gp_text_store_free and not aligned. NULL if
 * there is no memory. */
char *gp_text_store_room(gp_text_store *store, size_t size);

/* Moves the texts of `from` to `store`. They stay where they are. */
void gp_text_store_take(gp_text_store *store, gp_text_store *from);

void gp_text_store_free(gp_text_store *store);

#endif
