/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store of texts that are freed together. */
#include "base/text_store.h"

#include <stdlib.h>

struct gp_text_block {
  struct gp_text_block *older;
  size_t used, room;
  char text[];
};

enum { BLOCK = 16384 };  /* bytes; a longer text gets its own block */

char *gp_text_store_room(gp_text_store *store, size_t size) {
  struct gp_text_block *block = store->newest;
  if (!block || block->room - block->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    block = malloc(sizeof *block + room);
    if (!block) return NULL;
    block->older = store->newest;
    block->used = 0;
    block->room = room;
    store->newest = block;
  }
  char *place = block->text + block->used;
  block->used += size;
  return place;
}

void gp_text_store_take(gp_text_store *store, gp_text_store *from) {
  struct gp_text_block *oldest = from->newest;
  if (!oldest) return;
  while (oldest->older) oldest = oldest->older;
  oldest->older = store->newest;
  store->newest = from->newest;
  from->newest = NULL;
}

void gp_text_store_free(gp_text_store *store) {
  for (struct gp_text_block *block = store->newest, *older; block; block = older) {
    older = block->older;
    free(block);
  }
  store->newest = NULL;
}
