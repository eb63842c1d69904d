/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A section of the image, read in pieces. */
#include "object/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Upper bound of zlib's compression ratio, which is about 1000. */
#define MAX_RATIO 1100

/* The length limit of gp_section_text, longer than any path that can be opened; and how
 * many bytes it reads at a time. */
#define MAX_TEXT 16384
#define PIECE 256

static asection *find(bfd *file, const char *name) {
  char old[64] = ".z";
  asection *found = bfd_get_section_by_name(file, name);
  if (found) return found;
  strncat(old, name + 1, sizeof old - 3);
  return bfd_get_section_by_name(file, old);
}

void gp_section_open(gp_section *section, const gp_image *image, const char *name) {
  memset(section, 0, sizeof *section);
  asection *found = find(image->file, name);
  if (!found || !(bfd_section_flags(found) & SEC_HAS_CONTENTS)) return;
  uint64_t limit = bfd_get_file_size(image->file);
  if (found->compress_status) limit *= MAX_RATIO;
  if (bfd_section_size(found) > limit) return;
  section->file = image->file;
  section->section = found;
  section->size = bfd_section_size(found);
}

void gp_section_free(gp_section *section) {
  free(section->contents);
  memset(section, 0, sizeof *section);
}

static bool inflate(gp_section *section) {
  bfd_byte *bytes = NULL;
  if (bfd_malloc_and_get_section(section->file, section->section, &bytes)) {
    section->contents = bytes;
    return true;
  }
  free(bytes);
  return false;
}

static bool load(gp_section *section) {
  bfd_byte *bytes = NULL;
  if (section->section->compress_status) return inflate(section);
  if (!gp_section_room(section, &bytes, section->size, 1)) return false;
  section->contents = bytes;
  return bfd_get_section_contents(section->file, section->section, bytes, 0,
                                  section->size);
}

const unsigned char *gp_section_all(gp_section *section) {
  if (section->contents || section->size == 0) return section->contents;
  if (load(section)) return section->contents;
  free(section->contents);
  section->contents = NULL;
  section->size = 0;  /* so that no later read tries again */
  return NULL;
}

bool gp_section_read(gp_section *section, uint64_t offset, void *to, size_t length) {
  if (offset > section->size || length > section->size - offset) return false;
  if (length == 0) return true;  /* even if `section` is NULL */
  if (!section->contents && !section->section->compress_status)
    return bfd_get_section_contents(section->file, section->section, to,
                                    (file_ptr)offset, length);
  if (!gp_section_all(section)) return false;
  memcpy(to, section->contents + offset, length);
  return true;
}

bool gp_section_room(gp_section *section, void *column, size_t capacity, size_t size) {
  bool done = gp_resize(column, capacity, size);
  section->no_memory |= !done;
  return done;
}

char *gp_section_text(gp_section *section, uint64_t offset, uint64_t *budget) {
  char *text = NULL;
  uint64_t most = offset < section->size ? section->size - offset : 0;
  if (most > MAX_TEXT) most = MAX_TEXT;
  if (most > *budget) most = *budget;
  for (size_t length = 0, end; length < most; length = end) {
    end = most - length > PIECE ? length + PIECE : (size_t)most;
    if (!gp_section_room(section, &text, end, 1) ||
        !gp_section_read(section, offset + length, text + length, end - length))
      break;
    const char *nul = memchr(text + length, 0, end - length);
    *budget -= nul ? (size_t)(nul - text) + 1 - length : end - length;
    if (nul) return text;
  }
  free(text);
  return NULL;
}

bool gp_section_contents(gp_contents *contents, const gp_image *image, const char *name) {
  gp_section section;
  gp_section_open(&section, image, name);
  *contents = (gp_contents){.bytes = gp_column(section.size, 1)};
  if (contents->bytes && section.size > 0 &&
      gp_section_read(&section, 0, contents->bytes, section.size)) {
    contents->low = bfd_section_vma(section.section);
    contents->size = section.size;
  }
  gp_section_free(&section);
  return contents->bytes;
}
