/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of names, such as paths, in little memory: the bytes of each name, and four
 * more. Lists are read from files.
 */
#ifndef GP_BASE_NAME_LIST_H
#define GP_BASE_NAME_LIST_H

#include "base/hash.h"
#include "base/text.h"

/* The longest name in a file, in bytes. */
#define GP_NAME_MAX ((size_t)65536)

/* Initialize it with zeroes. */
typedef struct gp_name_list {
  size_t count, capacity;
  uint32_t *start;        /* offset of each name in `text`, where a NUL follows it */
  gp_text text;
} gp_name_list;

static inline const char *gp_name(const gp_name_list *names, size_t row) {
  return names->text.bytes + names->start[row];
}

/* Adds a name. */
bool gp_name_list_add(gp_name_list *names, const char *name, gp_error *error);

/* Adds the names in a file to its end; `head` are bytes that have been read from it.
 * Names end in zero bytes if the file has any, otherwise in newlines; empty ones are
 * skipped. After an error, which an endless file is, no name has been added. */
bool gp_name_list_read(gp_name_list *names, const void *head, size_t size,
                       gp_reader *reader, gp_error *error);

/* Finds the names that are one of the suffixes after another name in the list. Returns
 * their rows in ascending order; free() them. NULL if there is no memory. */
uint32_t *gp_name_list_companions(const gp_name_list *names, const char *const *suffixes,
                                  size_t suffix_count, size_t *count);

/* Removes the rows, which are in ascending order. */
void gp_name_list_remove(gp_name_list *names, const uint32_t *rows, size_t count);

void gp_name_list_free(gp_name_list *names);

#endif
