/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An image's links to other files. */
#include "object/debuglink.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* True for a regular file, and for a missing one, which libbfd cannot open. */
static bool is_regular(const char *path) {
  struct stat status;
  return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/* Whether libbfd would open only regular files. It looks for `name` in the directory
 * whose path is the first `length` bytes of `directory`, and in its subdirectory .debug.
 * It also looks in system directories, which are not checked. */
static bool is_regular_in(const char *directory, size_t length, const char *name) {
  char path[PATH_MAX];
  const char *const subdirectories[] = {"", ".debug/"};
  for (size_t i = 0; i < sizeof subdirectories / sizeof *subdirectories; i++) {
    int size = snprintf(path, sizeof path, "%.*s%s%s", (int)length, directory,
                        subdirectories[i], name);
    if (size < 0 || (size_t)size >= sizeof path || !is_regular(path)) return false;
  }
  return true;
}

/* Hides a section: libbfd treats an empty section as absent. */
static void forget(bfd *file, const char *section) {
  asection *found = bfd_get_section_by_name(file, section);
  if (found) bfd_set_section_size(found, 0);
}

/* The length of the directory in a file's path, including the slash. */
static size_t directory_length(bfd *file) {
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
  size_t directory = directory_length(file);
  if (strchr(name, '/') || directory > PATH_MAX ||
      !is_regular_in(bfd_get_filename(file), directory, name))
    forget(file, ".gnu_debuglink");
  free(name);
}

char *gp_debuglink_supplementary(bfd *file) {
  bfd_size_type size;
  bfd_byte *id = NULL;
  char *name = bfd_get_alt_debug_link_info(file, &size, &id);
  free(id);
  return name;
}

/* The name of a supplementary file may contain directories. libbfd resolves it relative
 * to the image's directory. */
static void check_supplementary(bfd *file) {
  char *name = gp_debuglink_supplementary(file);
  if (!name) return;
  size_t directory = directory_length(file);
  if (directory > PATH_MAX || !is_regular_in(bfd_get_filename(file), directory, name))
    forget(file, ".gnu_debugaltlink");
  free(name);
}

void gp_debuglink_check(bfd *file) {
  check_link(file);
  check_supplementary(file);
}

void gp_debuglink_forget(bfd *file) {
  forget(file, ".gnu_debuglink");
  forget(file, ".gnu_debugaltlink");
}

bool gp_debuglink_is_supplementary(bfd *file, const unsigned char *id, size_t size) {
  bfd_size_type length = 0;
  bfd_byte *wanted = NULL;
  char *name = bfd_get_alt_debug_link_info(file, &length, &wanted);
  bool is = name && size > 0 && length == size && memcmp(id, wanted, size) == 0;
  free(name);
  free(wanted);
  return is;
}

/* libbfd prepends the image's directory even to an absolute name. So the stored name
 * begins with enough "../" to lead from any directory to the root, which is its own
 * parent. libbfd also expects at least one byte after the name, for the build id. */
#define STEPS_UP 200
#define STEP_UP "../"

bool gp_debuglink_set_supplementary(bfd *file, const char *path) {
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
