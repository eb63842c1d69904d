/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of other files that an image has. */
#include "links.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is not there can do no harm either. */
static bool is_plain(const char *path) {
  struct stat status;
  return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/* Whether what libbfd would open is plain: `name` in a directory, the first `length`
 * bytes of `directory`, and in its .debug. It looks elsewhere, too, but in directories of
 * the system. */
static bool is_plain_in(const char *directory, size_t length, const char *name) {
  char path[PATH_MAX];
  const char *const below[] = {"", ".debug/"};
  for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
    int size = snprintf(path, sizeof path, "%.*s%s%s", (int)length, directory, below[i],
                        name);
    if (size < 0 || (size_t)size >= sizeof path || !is_plain(path)) return false;
  }
  return true;
}

/* A section without bytes is none, for libbfd. */
static void forget(bfd *file, const char *section) {
  asection *found = bfd_get_section_by_name(file, section);
  if (found) bfd_set_section_size(found, 0);
}

static void check_link(bfd *file) {
  unsigned long checksum;
  char *name = bfd_get_debug_link_info(file, &checksum);
  if (!name) return;
  const char *path = bfd_get_filename(file), *slash = strrchr(path, '/');
  size_t directory = slash ? (size_t)(slash - path) + 1 : 0;
  if (strchr(name, '/') || directory > PATH_MAX || !is_plain_in(path, directory, name))
    forget(file, ".gnu_debuglink");
  free(name);
}

/* This name is as good as any that is given to open. */
static void check_shared(bfd *file) {
  bfd_size_type size;
  bfd_byte *id = NULL;
  char *name = bfd_get_alt_debug_link_info(file, &size, &id);
  if (!name) return;
  if (!is_plain(name) || !is_plain_in("", 0, name)) forget(file, ".gnu_debugaltlink");
  free(name);
  free(id);
}

void gp_links_check(bfd *file) {
  check_link(file);
  check_shared(file);
}
