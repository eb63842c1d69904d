/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An image's links to other files. */
#include "object/debuglink.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether libbfd would open only regular files. It looks for `name` in the directory
 * whose path is the first `length` bytes of `directory`, and in its subdirectory .debug.
 * It also looks in system directories, which are not checked. */
static bool is_regular_in(const char *directory, size_t length, const char *name) {
  char path[PATH_MAX];
  const char *const subdirectories[] = {"", ".debug/"};
  for (size_t i = 0; i < sizeof subdirectories / sizeof *subdirectories; i++) {
    int size = snprintf(path, sizeof path, "%.*s%s%s", (int)length, directory,
                        subdirectories[i], name);
    struct stat status;
    if (size < 0 || (size_t)size >= sizeof path) return false;
    /* libbfd cannot open a missing file */
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) return false;
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

/* A link: the contents of a section, which begin with a file name, perhaps after a
 * header. */
typedef struct gp_link {
  char *name;              /* NUL-terminated; free() it; NULL if there is no link */
  const bfd_byte *data;    /* what follows the name */
  size_t size;             /* bytes in `data` */
} gp_link;

/* Reads a link with a header of a given size. libbfd has functions for this, but they
 * leak memory if the section is damaged. */
static gp_link read_link_after(bfd *file, const char *section, size_t header) {
  const gp_link none = {NULL, NULL, 0};
  asection *found = bfd_get_section_by_name(file, section);
  if (!found || !(bfd_section_flags(found) & SEC_HAS_CONTENTS)) return none;
  size_t size = bfd_section_size(found);
  bfd_byte *bytes = NULL;
  if (size <= header || size > bfd_get_file_size(file)) return none;
  if (!bfd_malloc_and_get_section(file, found, &bytes) ||
      !memchr(bytes + header, 0, size - header)) {
    free(bytes);
    return none;
  }
  size -= header;
  memmove(bytes, bytes + header, size);
  size_t length = strlen((char *)bytes) + 1;
  return (gp_link){(char *)bytes, bytes + length, size - length};
}

static gp_link read_link(bfd *file, const char *section) {
  return read_link_after(file, section, 0);
}

/* The checksum is at the next offset that is a multiple of 4. */
char *gp_debuglink_debug(bfd *file, uint32_t *checksum) {
  gp_link link = read_link(file, ".gnu_debuglink");
  size_t offset = link.name ? 3 - strlen(link.name) % 4 : 0;
  if (!link.name || link.size < offset + 4) {
    free(link.name);
    return NULL;
  }
  *checksum = (uint32_t)bfd_get_32(file, link.data + offset);
  return link.name;
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

static const char alternative[] = ".gnu_debugaltlink", standard[] = ".debug_sup";

/* Reads .debug_sup: the version, whether this is a supplementary file, its name, which is
 * empty in such a file, and a checksum with its length (DWARF 5, section 7.3.6). */
static gp_link read_standard(bfd *file) {
  return read_link_after(file, standard, 3);
}

bool gp_debuglink_has_supplementary(bfd *file) {
  return bfd_get_section_by_name(file, alternative) ||
         bfd_get_section_by_name(file, standard);
}

char *gp_debuglink_supplementary(bfd *file) {
  char *name = read_link(file, alternative).name;
  if (!name) name = read_standard(file).name;
  if (name && *name) return name;
  free(name);
  return NULL;
}

/* The name of a supplementary file may contain directories. libbfd resolves it relative
 * to the image's directory. */
static void check_supplementary(bfd *file) {
  char *name = read_link(file, alternative).name;
  if (!name) return;
  size_t directory = directory_length(file);
  if (directory > PATH_MAX || !is_regular_in(bfd_get_filename(file), directory, name))
    forget(file, alternative);
  free(name);
}

void gp_debuglink_check(bfd *file) {
  check_link(file);
  check_supplementary(file);
}

void gp_debuglink_forget(bfd *file) {
  forget(file, ".gnu_debuglink");
  forget(file, alternative);
}

static bool has_same_checksum(bfd *file, bfd *found) {
  gp_link link = read_standard(file), own = read_standard(found);
  bool is = link.name && own.name && !*own.name && link.size > 1 &&
            link.size == own.size && memcmp(link.data, own.data, own.size) == 0;
  free(link.name);
  free(own.name);
  return is;
}

bool gp_debuglink_is_supplementary(bfd *file, bfd *found, const unsigned char *id,
                                   size_t size) {
  gp_link link = read_link(file, alternative);
  if (!link.name) return has_same_checksum(file, found);
  bool is = size > 0 && link.size == size && memcmp(id, link.data, size) == 0;
  free(link.name);
  return is;
}

/* libbfd prepends the image's directory even to an absolute name. So the stored name
 * begins with enough "../" to lead from any directory to the root, which is its own
 * parent. libbfd also expects at least one byte after the name, for the build id. */
#define STEPS_UP 200
#define STEP_UP "../"

bool gp_debuglink_set_supplementary(bfd *file, const char *path) {
  size_t steps = STEPS_UP * strlen(STEP_UP), length = strlen(path);
  asection *section = bfd_get_section_by_name(file, alternative);
  if (!section) return true;
  char *name = bfd_zalloc(file, steps + length + 1);
  if (!name) return false;
  char *end = name;
  for (size_t i = 0; i < STEPS_UP; i++) end = stpcpy(end, STEP_UP);
  stpcpy(end, path + 1);
  section->contents = (bfd_byte *)name;
  section->flags |= SEC_IN_MEMORY;
  bfd_set_section_size(section, steps + length + 1);
  return true;
}
