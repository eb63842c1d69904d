/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suffixes in the names of compiler-made symbols. */
#include "symbols/clone_suffix.h"

#include <ctype.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_digits(const char *p) {
  while (is_digit(*p)) p++;
  return p;
}

/* The length of "f" in "f.__part.12"; otherwise 0. */
static size_t numbered_part_stem(const char *name) {
  static const char part[] = ".__part.";
  const size_t length = strlen(name), part_length = sizeof part - 1;
  size_t end = length;
  while (end > 0 && is_digit(name[end - 1])) end--;
  if (end == length || end <= part_length) return 0;
  const size_t stem = end - part_length;
  return memcmp(name + stem, part, part_length) == 0 ? stem : 0;
}

bool gp_clone_is_numbered_part(const char *name) {
  return numbered_part_stem(name) != 0;
}

size_t gp_clone_cold_stem(const char *name) {
  if (!strchr(name, '.')) return 0;  /* most names */
  const size_t stem = numbered_part_stem(name);
  if (stem != 0) return stem;
  /* the last ".cold": "f.cold" may have been cloned and split again */
  const char *found = NULL;
  for (const char *p = name; (p = strstr(p, ".cold")) != NULL; p++) found = p;
  if (!found || found == name) return 0;
  const char *rest = found + 5;
  if (*rest == '.' && is_digit(rest[1])) rest = skip_digits(rest + 1);
  return *rest ? 0 : (size_t)(found - name);
}

/* The words of suffixes; a number may follow. */
static bool is_clone_word(const char *text, size_t length) {
  static const char *const words[] = {"isra", "part",     "constprop",  "clone",
                                      "cold", "lto_priv", "localalias", "llvm"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) return true;
  return false;
}

/* Returns the offset of the numbers at the end of a text, ".0" or ".0.1". */
static size_t before_numbers(const char *text, size_t length) {
  for (size_t at = length;;) {
    while (at > 0 && is_digit(text[at - 1])) at--;
    if (at == length || at == 0 || text[at - 1] != '.') return length;
    length = --at;
  }
}

/* Returns the offset of the suffix at the end of a name, `length` if there is none. */
static size_t before_suffix(const char *name, size_t length, bool numbers) {
  static const char clone[] = " [clone ";
  const size_t opening = sizeof clone - 1;
  bool bracketed = length > 0 && name[length - 1] == ']';
  size_t end = before_numbers(name, bracketed ? length - 1 : length), begin = end;
  while (begin > 0 && (isalpha((unsigned char)name[begin - 1]) || name[begin - 1] == '_'))
    begin--;
  bool is_word = begin > 0 && name[begin - 1] == '.' &&
                 is_clone_word(name + begin, end - begin);
  size_t suffix = is_word ? begin - 1 : end;
  if (!is_word && !(numbers && end < length - bracketed)) return length;
  if (!bracketed) return suffix > 0 ? suffix : length;
  if (suffix <= opening) return length;
  return memcmp(name + suffix - opening, clone, opening) == 0 ? suffix - opening : length;
}

size_t gp_clone_stem(const char *name, size_t length, bool numbers) {
  for (;;) {
    size_t shorter = before_suffix(name, length, numbers);
    if (shorter == length) return length;
    length = shorter;
  }
}

/* Returns one past the end of the suffix group that begins with the dot at `p`; NULL if
 * the group is invalid. A group ends with a number; only a final "." may be without
 * one. */
static const char *skip_group(const char *p) {
  bool bare = false;
  if (strncmp(p, ".clone.", 7) == 0)
    p += 7;
  else if (strncmp(p, ".constprop.", 11) == 0)
    p += 11;
  else
    bare = *++p == '\0';
  if (!bare && !is_digit(*p)) return NULL;
  p = skip_digits(p);
  return *p && *p != '.' ? NULL : p;
}

bool gp_clone_gnu_accepts(const char *name, const char *limit) {
  const char *p = name;
  if (!*p) return false;
  for (;;) {
    while (*p && *p != '.' && *p != '$') p++;
    if (!*p) return true;
    if (*p == '$') return false;
    while (*p == '.')
      if (!(p = skip_group(p))) return false;
    /* the name ends in a group: GNU gprof continues with the next name */
    if (!limit || ++p > limit) return true;
  }
}
