/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names. */
#include "base/name_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* --- adding ------------------------------------------------------------------ */

static bool add_start(gp_name_list *names, size_t start) {
  if (!GP_RESERVE(&names->capacity, names->count + 1, GP_COLUMN(names->start)))
    return false;
  names->start[names->count++] = (uint32_t)start;
  return true;
}

/* Whether offsets of 32 bits reach texts of this size. */
static bool has_room(const gp_name_list *names, size_t size, gp_error *error) {
  return size < UINT32_MAX - names->text.size ||
         gp_fail(error, "too many names: more than 4 GB");
}

bool gp_name_list_add(gp_name_list *names, const char *name, gp_error *error) {
  const size_t start = names->text.size, size = strlen(name) + 1;
  if (!has_room(names, size, error)) return false;
  return (gp_text_append(&names->text, name, size) && add_start(names, start)) ||
         gp_fail_memory(error);
}

/* --- reading ----------------------------------------------------------------- */

/* A list that is being read. */
typedef struct list {
  gp_name_list *names;
  size_t begin;           /* offset of the list in the text of the names */
  size_t size;            /* bytes read */
  gp_error *error;
} list;

/* Whether bytes, at least one, are one terminator repeated. */
static bool are_blank(const char *bytes, size_t size) {
  return (*bytes == '\0' || *bytes == '\n') && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Whether more of the blank bytes after the text would change nothing: it ends in more of
 * them than a name may have. */
static bool ends_blank(const list *l, char byte) {
  const gp_text *text = &l->names->text;
  if (text->size - l->begin <= GP_NAME_MAX) return false;
  const char *tail = text->bytes + text->size - GP_NAME_MAX - 1;
  return *tail == byte && are_blank(tail, GP_NAME_MAX + 1);
}

/* Whether the text ends in a name that is too long, whatever terminates it. */
static bool ends_long(const list *l) {
  const gp_text *text = &l->names->text;
  const size_t size = text->size - l->begin;
  if (size <= GP_NAME_MAX) return false;
  const char *tail = text->bytes + text->size - GP_NAME_MAX - 1;
  return !memchr(tail, '\0', GP_NAME_MAX + 1) && !memchr(tail, '\n', GP_NAME_MAX + 1);
}

static bool take(list *l, const char *bytes, size_t size) {
  l->size += size;
  if (l->size > GP_TEXT_MAX)
    return gp_fail(l->error, "has more than %zu MB of text", GP_TEXT_MAX >> 20);
  if (size == 0 || (are_blank(bytes, size) && ends_blank(l, *bytes))) return true;
  return gp_text_append(&l->names->text, bytes, size) || gp_fail_memory(l->error);
}

/* Reads until the end, or until a name is too long. */
static bool read_text(list *l, gp_reader *reader) {
  size_t got;
  while (!ends_long(l) && (got = gp_reader_available(reader, GP_READER_WINDOW)) > 0)
    if (!take(l, (const char *)gp_reader_take(reader, got), got)) return false;
  return !reader->failed;
}

/* Adds the names in the text. */
static bool split(const list *l) {
  gp_name_list *names = l->names;
  const size_t size = names->text.size, before = names->count;
  char *const bytes = names->text.bytes;
  const bool zero = size > l->begin && memchr(bytes + l->begin, '\0', size - l->begin);
  for (size_t at = l->begin, end; at < size; at = end + 1) {
    const char *stop = memchr(bytes + at, zero ? '\0' : '\n', size - at);
    end = stop ? (size_t)(stop - bytes) : size;
    bytes[end] = '\0';
    if (end == at) continue;
    if (end - at > GP_NAME_MAX)
      return gp_fail(l->error, "name %zu has more than %zu bytes",
                     names->count - before + 1, GP_NAME_MAX);
    if (!add_start(names, at)) return gp_fail_memory(l->error);
  }
  return names->count > before || gp_fail(l->error, "lists no profiles");
}

bool gp_name_list_read(gp_name_list *names, const void *head, size_t size,
                       gp_reader *reader, gp_error *error) {
  const size_t before = names->count;
  list l = {.names = names, .begin = names->text.size, .error = error};
  if (has_room(names, GP_TEXT_MAX + 1, error) && take(&l, head, size) &&
      read_text(&l, reader) && split(&l) &&
      (gp_text_append(&names->text, "", 1) || gp_fail_memory(error)))
    return true;
  names->count = before;
  names->text.size = l.begin;
  return false;
}

/* --- names beside others ----------------------------------------------------- */

/* Returns the length of a name without the first suffix that it ends in; 0 if it has
 * none. */
static size_t length_of_owner(const char *name, const char *const *suffixes,
                              size_t suffix_count) {
  const size_t length = strlen(name);
  for (size_t i = 0; i < suffix_count; i++) {
    const size_t size = strlen(suffixes[i]);
    if (length > size && memcmp(name + length - size, suffixes[i], size) == 0)
      return length - size;
  }
  return 0;
}

static gp_key key_of(const void *names, uint32_t row) {
  return gp_text_key(gp_name(names, row));
}

/* The number of rows by which the index is loaded ahead. */
enum { AHEAD = 16 };

/* Adds all names to an index, each once. */
static bool index_names(const gp_name_list *names, gp_hash *index) {
  if (!gp_hash_reserve(index, names->count)) return false;
  for (uint32_t row = 0; row < names->count; row++) {
    if (names->count - row > AHEAD) gp_hash_prefetch(index, key_of(names, row + AHEAD));
    if (gp_hash_find(index, key_of(names, row)) == GP_NONE && !gp_hash_add(index, row))
      return false;
  }
  return true;
}

static bool is_name(const gp_name_list *names, size_t row, const char *name,
                    size_t length) {
  const char *other = gp_name(names, row);
  return strncmp(other, name, length) == 0 && other[length] == '\0';
}

/* A search for names beside others. */
typedef struct search {
  const gp_name_list *names;
  gp_hash index;          /* of all names, made when it is first needed */
  uint32_t *rows;         /* found */
  size_t count, capacity;
} search;

static bool add_row(search *s, uint32_t row) {
  if (!GP_RESERVE(&s->capacity, s->count + 1, GP_COLUMN(s->rows))) return false;
  s->rows[s->count++] = row;
  return true;
}

/* Prepares check_row for a later row. */
static void load_ahead(const search *s, size_t row, const char *const *suffixes,
                       size_t suffix_count) {
  if (s->index.used == 0 || row >= s->names->count) return;
  const char *name = gp_name(s->names, row);
  const size_t length = length_of_owner(name, suffixes, suffix_count);
  if (length > 0) gp_hash_prefetch(&s->index, gp_bytes_key(name, length));
}

/* Looks for the name before the suffix of a row. */
static bool check_row(search *s, uint32_t row, size_t length) {
  const char *name = gp_name(s->names, row);
  if ((row > 0 && is_name(s->names, row - 1, name, length)) ||
      (row + 1 < s->names->count && is_name(s->names, row + 1, name, length)))
    return add_row(s, row);  /* names that belong together are mostly neighbours */
  if (s->index.used == 0 && !index_names(s->names, &s->index)) return false;
  uint32_t found = gp_hash_find(&s->index, gp_bytes_key(name, length));
  return found == GP_NONE || !is_name(s->names, found, name, length) || add_row(s, row);
}

uint32_t *gp_name_list_companions(const gp_name_list *names, const char *const *suffixes,
                                  size_t suffix_count, size_t *count) {
  search s = {.names = names};
  bool done = gp_resize(&s.rows, 1, sizeof *s.rows);
  gp_hash_init(&s.index, key_of, names);
  for (uint32_t row = 0; done && row < names->count; row++) {
    const size_t length = length_of_owner(gp_name(names, row), suffixes, suffix_count);
    load_ahead(&s, (size_t)row + AHEAD, suffixes, suffix_count);
    done = length == 0 || check_row(&s, row, length);
  }
  gp_hash_free(&s.index);
  *count = s.count;
  if (done) return s.rows;
  free(s.rows);
  return NULL;
}

void gp_name_list_remove(gp_name_list *names, const uint32_t *rows, size_t count) {
  size_t kept = 0, removed = 0;
  for (size_t row = 0; row < names->count; row++) {
    if (removed < count && rows[removed] == row)
      removed++;
    else
      names->start[kept++] = names->start[row];
  }
  names->count = kept;
}

void gp_name_list_free(gp_name_list *names) {
  free(names->start);
  gp_text_free(&names->text);
  memset(names, 0, sizeof *names);
}
