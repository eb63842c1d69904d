/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suffixes in the names of compiler-made symbols. */
#include "symbols/clone_suffix.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_digits(const char *p) {
  while (is_digit(*p)) p++;
  return p;
}

size_t gp_clone_cold_stem(const char *name) {
  /* the last ".cold": "f.cold" may have been cloned and split again */
  const char *found = NULL;
  for (const char *p = name; (p = strstr(p, ".cold")) != NULL; p++) found = p;
  if (!found || found == name) return 0;
  const char *rest = found + 5;
  if (*rest == '.' && is_digit(rest[1])) rest = skip_digits(rest + 1);
  return *rest ? 0 : (size_t)(found - name);
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
