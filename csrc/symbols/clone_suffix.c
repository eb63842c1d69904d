/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the names of compiler-made symbols mean. */
#include "symbols/clone_suffix.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_digits(const char *p) {
  while (is_digit(*p)) p++;
  return p;
}

size_t gp_clone_cold_stem(const char *name) {
  /* the last one: "f.cold" may itself have been cloned, and split again */
  const char *found = NULL;
  for (const char *p = name; (p = strstr(p, ".cold")) != NULL; p++) found = p;
  if (!found || found == name) return 0;
  const char *rest = found + 5;
  if (*rest == '.' && is_digit(rest[1])) rest = skip_digits(rest + 1);
  return *rest ? 0 : (size_t)(found - name);
}

/* The end of the group that begins with the dot at `p`, or NULL if there is no group. A
 * group ends in a number; only a single dot at the end may lack it. */
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

bool gp_clone_gnu_takes(const char *name, const char *limit) {
  const char *p = name;
  if (!*p) return false;
  for (;;) {
    while (*p && *p != '.' && *p != '$') p++;
    if (!*p) return true;
    if (*p == '$') return false;
    while (*p == '.')
      if (!(p = skip_group(p))) return false;
    /* at the end of a name that ends in a group: the next one counts as well */
    if (!limit || ++p > limit) return true;
  }
}
