/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of other files that an image has. */
#include "object/debuglink.h"

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

/* How much of a file's path is its directory, with the slash. */
static size_t directory_of(bfd *file) {
  const char *path = bfd_get_filename(file), *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

char *gp_debuglink_debug(bfd *file, uint32_t *checksum) {
  unsigned long sum = 0;
  char *name = bfd_get_debug_link_info(file, &sum);
  *checksum = (uint32_t)sum;
  return name;
}

static void check_link(bfd *file) {
  uint32_t checksum;
  char *name = gp_debuglink_debug(file, &checksum);
  if (!name) return;
  size_t directory = directory_of(file);
  if (strchr(name, '/') || directory > PATH_MAX ||
      !is_plain_in(bfd_get_filename(file), directory, name))
    forget(file, ".gnu_debuglink");
  free(name);
}

char *gp_debuglink_shared(bfd *file) {
  bfd_size_type size;
  bfd_byte *id = NULL;
  char *name = bfd_get_alt_debug_link_info(file, &size, &id);
  free(id);
  return name;
}

/* This name may have directories. libbfd looks for it from where the image is. */
static void check_shared(bfd *file) {
  char *name = gp_debuglink_shared(file);
  if (!name) return;
  size_t directory = directory_of(file);
  if (directory > PATH_MAX || !is_plain_in(bfd_get_filename(file), directory, name))
    forget(file, ".gnu_debugaltlink");
  free(name);
}

void gp_debuglink_check(bfd *file) {
  check_link(file);
  check_shared(file);
}

void gp_debuglink_forget(bfd *file) {
  forget(file, ".gnu_debuglink");
  forget(file, ".gnu_debugaltlink");
}

bool gp_debuglink_is_shared(bfd *file, const unsigned char *id, size_t size) {
  bfd_size_type length = 0;
  bfd_byte *wanted = NULL;
  char *name = bfd_get_alt_debug_link_info(file, &length, &wanted);
  bool is = name && size > 0 && length == size && memcmp(id, wanted, size) == 0;
  free(name);
  free(wanted);
  return is;
}

/* libbfd puts the directory of the image in front of the name, even if that begins with a
 * slash. From any directory so many steps up lead to the root: it is above itself. And it
 * wants a byte behind the name, at least, as there is an id. */
#define STEPS_UP 200
#define STEP_UP "../"

bool gp_debuglink_share(bfd *file, const char *path) {
  size_t steps = STEPS_UP * strlen(STEP_UP), length = strlen(path);
  asection *section = bfd_get_section_by_name(file, ".gnu_debugaltlink");
  char *name = bfd_zalloc(file, steps + length + 1);
  if (!section || !name) return false;
  char *end = name;
  for (size_t i = 0; i < STEPS_UP; i++) end = stpcpy(end, STEP_UP);
  stpcpy(end, path + 1);
  section->contents = (bfd_byte *)name;
  section->flags |= SEC_IN_MEMORY;
  bfd_set_section_size(section, steps + length + 1);
  return true;
}
