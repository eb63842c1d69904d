/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The id of a build: a note of the ELF format, which has the sizes of a name and of its
 * content, a type, and then both of these, each filled up to four bytes. */
#include "object/build_id.h"

#include <string.h>

#include "object/section.h"

#define NAME "GNU"
#define TYPE 3

enum { HEAD = 12, BEFORE = HEAD + sizeof NAME };

static size_t read_note(gp_section *section, gp_layout layout, unsigned char *bytes) {
  unsigned char note[BEFORE];
  if (!gp_section_read(section, 0, note, sizeof note)) return 0;
  size_t size = gp_u32(note + 4, layout);
  if (gp_u32(note, layout) != sizeof NAME || gp_u32(note + 8, layout) != TYPE ||
      memcmp(note + HEAD, NAME, sizeof NAME) != 0)
    return 0;
  bool there =
      size <= GP_BUILD_ID_BYTES && gp_section_read(section, BEFORE, bytes, size);
  return there ? size : 0;
}

size_t gp_build_id(const gp_image *image, unsigned char bytes[GP_BUILD_ID_BYTES]) {
  gp_section section;
  gp_section_open(&section, image, ".note.gnu.build-id");
  size_t size = read_note(&section, image->layout, bytes);
  gp_section_free(&section);
  return size;
}
