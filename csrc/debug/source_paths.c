/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers for the paths of source files. */
#include "debug/source_paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"

/* --- shortening ---------------------------------------------------------------- */

/* A path that is being shortened in place. */
typedef struct shortening {
  char *path;
  size_t end;   /* the length of the result so far, */
  size_t kept;  /* and of its part that ".." does not remove */
} shortening;

static bool is_link(const shortening *s) {
  struct stat status;
  char next = s->path[s->end];
  s->path[s->end] = '\0';
  bool found = lstat(s->path, &status) == 0 && S_ISLNK(status.st_mode);
  s->path[s->end] = next;
  return found;
}

static void drop_last(shortening *s) {
  while (s->end > s->kept && s->path[s->end - 1] != '/') s->end--;
  if (s->end > s->kept) s->end--;  /* the slash */
}

/* Adds a component of the path, which follows the result in memory. */
static void add_component(shortening *s, const char *component, size_t length) {
  bool up = length == 2 && memcmp(component, "..", 2) == 0;
  bool at_root = s->end == 1 && s->path[0] == '/';
  if ((length == 1 && component[0] == '.') || (up && at_root)) return;
  if (up && s->end > s->kept && !is_link(s)) {
    drop_last(s);
    return;
  }
  if (s->end > 0 && !at_root) s->path[s->end++] = '/';
  memmove(s->path + s->end, component, length);
  s->end += length;
  if (up) s->kept = s->end;
}

/* Whether a path may have components that are removed. Most paths do not. */
static bool may_be_shortened(const char *path) {
  return path[0] == '.' || strstr(path, "/.") || strstr(path, "//");
}

void gp_source_path_shorten(char *path) {
  if (!may_be_shortened(path) || strlen(path) >= PATH_MAX) return;
  size_t root = path[0] == '/';
  shortening s = {path, root, root};
  for (const char *next = path + root; *next; next += strspn(next, "/")) {
    size_t length = strcspn(next, "/");
    add_component(&s, next, length);
    next += length;
  }
  path[s.end] = '\0';
}

/* --- numbers ------------------------------------------------------------------- */

void gp_source_paths_init(gp_source_paths *paths, gp_source_names *names,
                          bool as_recorded) {
  *paths = (gp_source_paths){.names = names, .as_recorded = as_recorded};
  gp_source_names_init(&paths->recorded);
}

void gp_source_paths_free(gp_source_paths *paths) {
  gp_source_names_free(&paths->recorded);
  free(paths->number);
  paths->number = NULL;
}

bool gp_source_paths_add(gp_source_paths *paths, const char *path, uint32_t *number) {
  uint32_t row;
  size_t count = paths->recorded.count;
  if (paths->as_recorded || !may_be_shortened(path))
    return gp_source_names_add(paths->names, path, number);
  if (!GP_RESERVE(&paths->capacity, count + 1, GP_COLUMN(paths->number))) return false;
  if (!gp_source_names_add(&paths->recorded, path, &row)) return false;
  if (row == count) {  /* a new one */
    char *copy = strdup(path);
    if (copy) gp_source_path_shorten(copy);
    bool added = copy && gp_source_names_add(paths->names, copy, &paths->number[row]);
    free(copy);
    if (!added) return false;
  }
  *number = paths->number[row];
  return true;
}
