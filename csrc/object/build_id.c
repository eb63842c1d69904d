/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The build id is an ELF note. A note consists of the sizes of its name and its content,
 * a type, the name, and the content. Name and content are padded to multiples of four
 * bytes. */
#include "object/build_id.h"

#include <string.h>

#include "object/section.h"

#define NAME "GNU"
#define TYPE 3  /* NT_GNU_BUILD_ID */

enum { NAME_OFFSET = 12, CONTENT_OFFSET = NAME_OFFSET + sizeof NAME };

static size_t read_note(gp_section *section, gp_layout layout, unsigned char *bytes) {
  unsigned char note[CONTENT_OFFSET];
  if (!gp_section_read(section, 0, note, sizeof note)) return 0;
  size_t size = gp_u32(note + 4, layout);
  if (gp_u32(note, layout) != sizeof NAME || gp_u32(note + 8, layout) != TYPE ||
      memcmp(note + NAME_OFFSET, NAME, sizeof NAME) != 0)
    return 0;
  if (size > GP_BUILD_ID_BYTES) return 0;
  return gp_section_read(section, CONTENT_OFFSET, bytes, size) ? size : 0;
}

size_t gp_build_id(const gp_image *image, unsigned char bytes[GP_BUILD_ID_BYTES]) {
  gp_section section;
  gp_section_open(&section, image, ".note.gnu.build-id");
  size_t size = read_note(&section, image->layout, bytes);
  gp_section_free(&section);
  return size;
}
