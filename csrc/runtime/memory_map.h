/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the process's mappings from /proc/self/maps. */
#ifndef GPROF_RUNTIME_MEMORY_MAP_H
#define GPROF_RUNTIME_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mapping {
  uintptr_t low, high;
  bool executable;
  uintptr_t offset;        /* in the file */
  uintptr_t device, inode; /* of the file; 0 if there is none */
} mapping;

typedef struct map_reader {
  long file, left;
  const char *at;
  char bytes[4096];
} map_reader;

/* Opens the list. If that fails, the list is empty. */
void rec_open_map(map_reader *r);

/* Reads the next mapping; false at the end of the list. Copies the path of its file to
 * `path`, unless that is NULL. */
bool rec_next_mapping(map_reader *r, mapping *m, char *path, size_t size);

void rec_close_map(map_reader *r);

#endif
