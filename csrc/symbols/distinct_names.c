/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that are shortened, but remain different from each other. */
#include "symbols/distinct_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

/* Per name. */
typedef struct entry {
  const char *name;
  const char *tail;         /* the name after its return type */
  const char *short_name;   /* without parameters and template arguments */
  size_t short_length;
  const char *own;          /* the last component of the short name */
} entry;

typedef struct table {
  size_t count;
  entry *entries;
  uint32_t *rows;           /* the entries in the current order */
  char *text;               /* storage of the short names */
  gp_shown_parts *shown;
} table;

static bool open_table(table *t, const char *const *names) {
  size_t size = 0;
  for (size_t i = 0; i < t->count; i++) size += strlen(names[i]) + 1;
  t->entries = gp_column(t->count, sizeof *t->entries);
  t->rows = gp_identity(t->count);
  t->text = malloc(size + 1);
  if (!t->entries || !t->rows || !t->text) return false;
  char *place = t->text;
  for (size_t i = 0; i < t->count; i++) {
    size_t length = strlen(names[i]);
    size_t skipped = gp_take_name_apart(names[i], length, place).function;
    size_t rest = gp_shorten_name(names[i], length, GP_WITHOUT_ARGUMENTS, NULL, place);
    place[rest] = '\0';
    size_t last = 0;
    for (size_t at = 0; at < rest; at = gp_next_component(place, rest, at)) last = at;
    t->entries[i] = (entry){names[i], names[i] + skipped, place, rest, place + last};
    place += rest + 1;
  }
  return true;
}

/* --- arguments and parameters ------------------------------------------------------- */

static bool is_before(const void *context, uint32_t b, uint32_t a) {
  const table *t = context;
  const entry *x = &t->entries[b], *y = &t->entries[a];
  int order = strcmp(x->short_name, y->short_name);
  if (order == 0) order = strcmp(x->tail, y->tail);
  return order < 0 || (order == 0 && strcmp(x->name, y->name) < 0);
}

static bool in_identifier(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t common_prefix(const char *a, const char *b) {
  size_t length = 0;
  while (a[length] && a[length] == b[length]) length++;
  return length;
}

/* Returns the end of the word at or after the first difference between two texts. */
static size_t end_of_difference(const char *text, size_t at) {
  while (text[at] && strchr(" ,:(", text[at])) at++;
  if (text[at] == '<') return at + 1;
  if (text[at]) at++;
  while (in_identifier(text[at])) at++;
  return at;
}

/* Returns the number of last components, from the one at this offset on. */
static uint32_t components_from(const char *name, size_t begin, size_t offset) {
  size_t length = strlen(name);
  uint32_t count = 0;
  for (size_t at = begin; at < length;) {
    at = gp_next_component(name, length, at);
    count += at > offset;
  }
  return count;
}

/* Shows what distinguishes an entry from the ones before and after it in the order, and
 * so from all others. The tails of all have the first `common` bytes in common. */
static void show_difference(const entry *e, const entry *before, const entry *after,
                            size_t common, gp_shown_parts *shown) {
  const entry *others[] = {before, after};
  size_t start = (size_t)(e->tail - e->name), to = 0;
  bool same_tail = false;
  for (int i = 0; i < 2; i++) {
    if (!others[i]) continue;
    size_t end = end_of_difference(e->tail, common_prefix(e->tail, others[i]->tail));
    if (end > to) to = end;
    same_tail |= strcmp(e->tail, others[i]->tail) == 0;
  }
  while (common > 0 && in_identifier(e->tail[common - 1])) common--;
  *shown = (gp_shown_parts){(uint32_t)(start + common), (uint32_t)(start + to),
                            components_from(e->name, start, start + common)};
  if (same_tail)  /* only the return types differ */
    *shown = (gp_shown_parts){0, (uint32_t)strlen(e->name),
                              components_from(e->name, 0, 0)};
}

static const entry *entry_at(const table *t, size_t row) {
  return &t->entries[t->rows[row]];
}

/* Handles the rows from `begin` to `end`, whose short names are equal. */
static void show_arguments(table *t, size_t begin, size_t end) {
  const entry *first = entry_at(t, begin), *last = entry_at(t, end - 1);
  if (strcmp(first->name, last->name) == 0) return;
  size_t common = common_prefix(first->tail, last->tail);
  const entry *before = NULL;
  for (size_t i = begin, next; i < end; i = next) {
    const entry *e = entry_at(t, i);
    for (next = i + 1; next < end; next++)
      if (strcmp(entry_at(t, next)->name, e->name) != 0) break;
    const entry *after = next < end ? entry_at(t, next) : NULL;
    for (size_t same = i; same < next; same++)
      show_difference(e, before, after, common, &t->shown[t->rows[same]]);
    before = e;
  }
}

/* --- components --------------------------------------------------------------------- */

static size_t common_suffix(const entry *a, const entry *b) {
  size_t length = 0;
  while (length < a->short_length && length < b->short_length &&
         a->short_name[a->short_length - length - 1] ==
             b->short_name[b->short_length - length - 1])
    length++;
  return length;
}

/* Compares short names from their ends. */
static bool ends_before(const void *context, uint32_t b, uint32_t a) {
  const table *t = context;
  const entry *x = &t->entries[b], *y = &t->entries[a];
  size_t common = common_suffix(x, y);
  if (common == x->short_length || common == y->short_length)
    return x->short_length < y->short_length;
  return (unsigned char)x->short_name[x->short_length - common - 1] <
         (unsigned char)y->short_name[y->short_length - common - 1];
}

/* Shows the components that distinguish an entry from another one. If only the last ones
 * differ, these may be shortened. */
static void show_components(const entry *e, const entry *other, gp_shown_parts *shown) {
  if (!other) return;
  size_t common = common_suffix(e, other);
  size_t at = e->short_length > common ? e->short_length - common - 1 : 0;
  uint32_t count = components_from(e->short_name, 0, at);
  if (count > 1 && count > shown->components) shown->components = count;
}

/* Handles all rows, in the order of ends_before. */
static void show_all_components(table *t) {
  const entry *before = NULL;
  for (size_t i = 0, next; i < t->count; i = next) {
    const entry *e = entry_at(t, i);
    for (next = i + 1; next < t->count; next++)
      if (strcmp(entry_at(t, next)->short_name, e->short_name) != 0) break;
    const entry *after = next < t->count ? entry_at(t, next) : NULL;
    for (size_t same = i; same < next; same++) {
      show_components(e, before, &t->shown[t->rows[same]]);
      show_components(e, after, &t->shown[t->rows[same]]);
    }
    before = e;
  }
}

/* --- the function's own name -------------------------------------------------------- */

/* A name is never cut to less than this number of bytes at its beginning and its end. */
enum { END = 7 };

static int compare_ends(const entry *x, const entry *y) {
  int order = strcmp(x->short_name + x->short_length - END,
                     y->short_name + y->short_length - END);
  return order != 0 ? order : strncmp(x->own, y->own, END);
}

static bool own_is_before(const void *context, uint32_t b, uint32_t a) {
  const table *t = context;
  return compare_ends(&t->entries[b], &t->entries[a]) < 0;
}

/* Shows long names whole whose ends are equal, because cutting their middles might make
 * them equal. */
static bool show_own_names(table *t) {
  size_t count = 0;
  for (uint32_t row = 0; row < t->count; row++) {
    const entry *e = &t->entries[row];
    if (t->shown[row].components == 0 && strlen(e->own) > (size_t)2 * END)
      t->rows[count++] = row;
  }
  if (!gp_sort(t->rows, count, own_is_before, t)) return false;
  for (size_t i = 1; i < count; i++) {
    const entry *a = entry_at(t, i - 1), *b = entry_at(t, i);
    if (compare_ends(a, b) != 0 || strcmp(a->own, b->own) == 0) continue;
    t->shown[t->rows[i - 1]].components = t->shown[t->rows[i]].components = 1;
  }
  return true;
}

static bool show_all_arguments(table *t) {
  if (!gp_sort(t->rows, t->count, is_before, t)) return false;
  for (size_t i = 0, next; i < t->count; i = next) {
    for (next = i + 1; next < t->count; next++)
      if (strcmp(entry_at(t, next)->short_name, entry_at(t, i)->short_name) != 0) break;
    show_arguments(t, i, next);
  }
  return true;
}

bool gp_distinct_names(const char *const *names, size_t count, gp_shown_parts *shown) {
  table t = {.count = count, .shown = shown};
  memset(shown, 0, count * sizeof *shown);
  bool done = open_table(&t, names) && show_all_arguments(&t) &&
              gp_sort(t.rows, count, ends_before, &t);
  if (done) show_all_components(&t);
  done = done && show_own_names(&t);
  free(t.entries);
  free(t.rows);
  free(t.text);
  return done;
}
