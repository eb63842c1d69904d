/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/block_counts.h"

#include <stddef.h>
#include <string.h>

#include "runtime/notes.h"
#include "runtime/output.h"

/* The functions of the block counter. blocks.c has the same declaration. If it changes,
 * NOTE_TYPE must change, too. */
#define NOTE_TYPE 1
typedef struct block_counter {
  void (*take_over)(void);
  uint64_t (*take)(void);
  void (*put)(void (*put)(const void *bytes, size_t size));
  void (*begin_anew)(void);
} block_counter;

static const block_counter *counter; /* NULL if the program has no block counter */

/* Looks for the note of the block counter in the program, which is the first object. The
 * note contains the distance from its contents to the table of functions. */
static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  uint32_t length;
  int64_t distance;
  const unsigned char *note = rec_find_note(object, "gprof", NOTE_TYPE, &length);
  if (!note || length != sizeof distance) return 1;
  memcpy(&distance, note, sizeof distance);
  counter = (const block_counter *)(const void *)(note + distance);
  return 1;
}

void rec_find_blocks(void) {
  dl_iterate_phdr(visit, NULL);
  if (counter) counter->take_over();
}

bool rec_has_blocks(void) { return counter; }

uint64_t rec_take_blocks(void) { return counter ? counter->take() : 0; }

void rec_put_blocks(void) {
  if (counter) counter->put(rec_put);
}

void rec_begin_blocks_anew(void) {
  if (counter) counter->begin_anew();
}
