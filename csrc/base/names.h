/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of names, such as paths, in little memory: the bytes of each name, and four
 * more. Lists are read from files.
 */
#ifndef GP_BASE_NAMES_H
#define GP_BASE_NAMES_H

#include "base/hash.h"
#include "base/text.h"

/* The longest name in a file, in bytes. */
#define GP_NAME_MAX ((size_t)65536)

/* Initialize it with zeroes. */
typedef struct gp_names {
  size_t count, capacity;
  uint32_t *start;        /* offset of each name in `text`, where a NUL follows it */
  gp_text text;
} gp_names;

static inline const char *gp_name(const gp_names *names, size_t row) {
  return names->text.bytes + names->start[row];
}

/* Adds a name. */
bool gp_names_add(gp_names *names, const char *name, gp_error *error);

/* Adds the names in a file to its end; `head` are bytes that have been read from it.
 * Names end in zero bytes if the file has any, otherwise in newlines; empty ones are
 * skipped. After an error, which an endless file is, no name has been added. */
bool gp_names_read(gp_names *names, const void *head, size_t size, gp_reader *reader,
                   gp_error *error);

/* Finds the names that are one of the suffixes after another name in the list. Returns
 * their rows in ascending order; free() them. NULL if there is no memory. */
uint32_t *gp_names_beside(const gp_names *names, const char *const *suffixes,
                          size_t suffix_count, size_t *count);

/* Removes the rows, which are in ascending order. */
void gp_names_remove(gp_names *names, const uint32_t *rows, size_t count);

void gp_names_free(gp_names *names);

#endif
