/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for a name in debugging information. */
#include "object/debug_str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "object/section.h"

/* Bytes searched at a time. Longer strings are skipped. */
#define WINDOW ((size_t)65536)

/* A search for the strings that contain a word. */
typedef struct search {
  const char *word;
  size_t length;
  gp_string_test *accept;
  void *context;
} search;

/* Tests the strings in `size` bytes, which end with a NUL. */
static bool search_strings(const search *s, const char *bytes, size_t size) {
  const char *p = bytes, *end = bytes + size;
  while ((p = memmem(p, (size_t)(end - p), s->word, s->length)) != NULL) {
    const char *before = memrchr(bytes, '\0', (size_t)(p - bytes));
    if (s->accept(before ? before + 1 : bytes, s->context)) return true;
    p += strlen(p) + 1;
  }
  return false;
}

static bool search_section(const search *s, gp_section *section, char *window) {
  for (uint64_t at = 0; at < section->size;) {
    uint64_t left = section->size - at;
    size_t piece = left < WINDOW ? (size_t)left : WINDOW;
    if (!gp_section_read(section, at, window, piece)) return false;
    const char *last = memrchr(window, '\0', piece);
    size_t whole = last ? (size_t)(last - window) + 1 : 0;
    if (search_strings(s, window, whole)) return true;
    at += whole > 0 ? whole : piece;
  }
  return false;
}

static bool search_image(const gp_image *image, const char *name, const char *word,
                         gp_string_test *accept, void *context) {
  const search s = {word, strlen(word), accept, context};
  char *window = malloc(WINDOW);
  if (!window) return false;
  gp_section section;
  gp_section_open(&section, image, name);
  bool found = s.length > 0 && search_section(&s, &section, window);
  gp_section_free(&section);
  free(window);
  return found;
}

bool gp_debug_str_search(const gp_image *image, const char *word, gp_string_test *accept,
                         void *context) {
  return search_image(image, ".debug_str", word, accept, context);
}

static bool is_name(const char *string, void *name) {
  return strcmp(string, (const char *)name) == 0;
}

/* Whether a string that begins with other attributes ends with a name. */
static bool ends_with_name(const char *string, void *name) {
  size_t length = strlen(name), all = strlen(string);
  if (all < length || strcmp(string + all - length, name) != 0) return false;
  unsigned char before = all > length ? (unsigned char)string[all - length - 1] : 0;
  return !isalnum(before) && before != '_';
}

bool gp_debug_str_has(const gp_image *image, const char *name) {
  void *context = (void *)(uintptr_t)name;
  if (gp_debug_str_search(image, name, is_name, context)) return true;
  return strlen(name) < sizeof(uint32_t) &&
         search_image(image, ".debug_info", name, ends_with_name, context);
}
