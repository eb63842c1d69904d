/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An image whose debugging sections come from an input. Implements the functions of
 * libbfd and image.c that the reader of line tables calls. */
#include "debugging.h"

#include <stdlib.h>
#include <string.h>

enum { BIG_ENDIAN_NUMBERS = 1, SHORT_POINTERS = 2, SIGNED_ADDRESSES = 4, OTHERS = 8,
       COMPRESSED = 16 };

static const char *const names[FUZZ_SECTIONS] = {".debug_info", ".debug_abbrev",
    ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets"};

/* The current image. */
static struct {
  uint8_t choices;
  const fuzz_part *parts;
  asection sections[FUZZ_SECTIONS];
  bfd file;
  bfd_target target;
} made;

void fuzz_set_image(gp_image *image, uint8_t choices, const fuzz_part *sections) {
  memset(&made, 0, sizeof made);
  made.choices = choices;
  made.parts = sections;
  made.target.flavour = bfd_target_elf_flavour;
  made.file.xvec = &made.target;
  made.file.flags = EXEC_P;
  for (size_t i = 0; i < FUZZ_SECTIONS; i++) {
    made.sections[i].size = sections[i].size;
    made.sections[i].flags = SEC_HAS_CONTENTS;
    made.sections[i].compress_status = choices & COMPRESSED ? 1 : 0;
  }
  memset(image, 0, sizeof *image);
  image->file = &made.file;
  image->text_low = FUZZ_TEXT_LOW;
  image->layout.big_endian = choices & BIG_ENDIAN_NUMBERS;
  image->layout.pointer_size = choices & SHORT_POINTERS ? 4 : 8;
}

/* --- libbfd ---------------------------------------------------------------------- */

asection *bfd_get_section_by_name(bfd *file, const char *name) {
  (void)file;
  for (size_t i = 0; i < FUZZ_SECTIONS; i++)
    if (strcmp(names[i], name) == 0 && made.sections[i].size > 0)
      return &made.sections[i];
  return made.choices & OTHERS && strcmp(name, ".stab") == 0 ? made.sections : NULL;
}

int bfd_get_sign_extend_vma(bfd *file) {
  (void)file;
  return made.choices & SIGNED_ADDRESSES ? 1 : 0;
}

ufile_ptr bfd_get_file_size(bfd *file) {
  ufile_ptr size = 0;
  (void)file;
  for (size_t i = 0; i < FUZZ_SECTIONS; i++) size += made.sections[i].size;
  return size;
}

bool bfd_get_section_contents(bfd *file, asection *section, void *to, file_ptr offset,
                              bfd_size_type count) {
  fuzz_part part = made.parts[section - made.sections];
  (void)file;
  FUZZ_HOLDS(offset >= 0 && (size_t)offset <= part.size);
  FUZZ_HOLDS(count <= part.size - (size_t)offset);
  if (count > 0) memcpy(to, part.bytes + offset, count);
  return true;
}

bool bfd_malloc_and_get_section(bfd *file, asection *section, bfd_byte **bytes) {
  *bytes = malloc(section->size);
  return *bytes && bfd_get_section_contents(file, section, *bytes, 0, section->size);
}

/* --- image.c --------------------------------------------------------------------- */

bool gp_image_prepare_locate(const gp_image *image) {
  (void)image;
  return true;
}

bool gp_image_locate(const gp_image *image, uint64_t address, gp_location *location) {
  (void)image;
  *location = (gp_location){"asked.c", "f", (unsigned)(address / 16 % 3 + 1)};
  return address % 16 != 0;
}
