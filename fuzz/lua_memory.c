/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block of up to MOST bytes has room for the next multiple of UNIT, and UNIT bytes
 * behind it. Blocks are cut from chunks, which are never freed. What is not in use is
 * poisoned. A free block is used again only if RESTING others with the same room are
 * free.
 */
#include "lua_memory.h"

#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { UNIT = 16, MOST = 1024, CHUNK = 1 << 20, RESTING = 64, FREED = 0xfd };

/* A free block, and the one that was freed next. */
typedef struct block {
  struct block *next;
} block;

/* The free blocks with the same room. */
typedef struct queue {
  block *first, *last;
  size_t count;
} queue;

static queue queues[MOST / UNIT + 1];

/* The last chunk. Each begins with the address of the one before. */
static char *chunk;
static size_t used = CHUNK;

static size_t room_for(size_t size) { return (size + UNIT - 1) / UNIT * UNIT; }

static void add_chunk(void) {
  char *new = malloc(CHUNK);
  if (!new) abort();
  memcpy(new, &chunk, sizeof chunk);
  chunk = new;
  used = UNIT;
  ASAN_POISON_MEMORY_REGION(chunk + used, CHUNK - used);
}

static void *cut(size_t room) {
  if (used + room + UNIT > CHUNK) add_chunk();
  char *new = chunk + used;
  used += room + UNIT;
  return new;
}

FUZZ_UNOBSERVED static void *take_first(queue *from) {
  block *first = from->first;
  from->first = first->next;
  __builtin_prefetch(first->next);  /* its address is needed when it is taken */
  from->count--;
  return first;
}

static void *take(size_t size) {
  if (size > MOST) return malloc(size);
  size_t room = room_for(size);
  queue *from = &queues[room / UNIT];
  void *new = from->count > RESTING ? take_first(from) : cut(room);
  ASAN_UNPOISON_MEMORY_REGION(new, size);
  return new;
}

FUZZ_UNOBSERVED static void append(queue *to, block *last) {
  if (to->count++ > 0)
    to->last->next = last;
  else
    to->first = last;
  to->last = last;
}

static void leave(void *old, size_t size) {
  if (size > MOST) {
    free(old);
    return;
  }
  memset(old, FREED, size);
  ASAN_POISON_MEMORY_REGION(old, room_for(size));
  append(&queues[room_for(size) / UNIT], old);
}

void *fuzz_lua_memory(void *context, void *old, size_t size, size_t new_size) {
  (void)context;
  if (!old) return new_size > 0 ? take(new_size) : NULL;
  if (size > MOST && new_size > MOST) return realloc(old, new_size);
  void *new = new_size > 0 ? take(new_size) : NULL;
  if (new_size > 0 && !new) return NULL;
  if (new && size > 0) memcpy(new, old, size < new_size ? size : new_size);
  if (size > 0) leave(old, size);
  return new;
}
