/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An image whose sections come from an input. Implements the functions of
 * libbfd and image.c that the readers of sections call. */
#include "debugging.h"

#include <stdlib.h>
#include <string.h>

enum { BIG_ENDIAN_NUMBERS = 1, SHORT_POINTERS = 2, SIGNED_ADDRESSES = 4, OTHERS = 8,
       COMPRESSED = 16 };

/* An object file. */
typedef struct object {
  bfd file;             /* first: libbfd's functions get its address */
  bfd_target target;
  const char *suffix;   /* of its path */
  uint8_t choices;
  const char *const *names;
  const fuzz_part *parts;
  size_t count;
  asection sections[FUZZ_MAX_PARTS];
} object;

/* The image, and the files that can be opened. */
static object objects[FUZZ_MAX_FILES + 1];
static size_t object_count;

static object *add_object(const char *suffix, uint8_t choices, const char *const *names,
                          const fuzz_part *sections, size_t count) {
  FUZZ_HOLDS(object_count <= FUZZ_MAX_FILES && count <= FUZZ_MAX_PARTS);
  object *made = &objects[object_count++];
  *made = (object){.suffix = suffix, .choices = choices, .names = names,
                   .parts = sections, .count = count};
  made->target.flavour = bfd_target_elf_flavour;
  made->file.xvec = &made->target;
  made->file.flags = EXEC_P;
  made->file.filename = "image";
  for (size_t i = 0; i < count; i++) {
    made->sections[i].vma = (i + 2) * FUZZ_TEXT_LOW;
    made->sections[i].size = sections[i].size;
    made->sections[i].flags = SEC_HAS_CONTENTS;
    made->sections[i].compress_status = choices & COMPRESSED ? 1 : 0;
  }
  return made;
}

static void set_image(gp_image *image, object *made) {
  memset(image, 0, sizeof *image);
  image->file = &made->file;
  image->status.st_size = (off_t)bfd_get_file_size(&made->file);
  image->text_low = FUZZ_TEXT_LOW;
  image->layout.big_endian = made->choices & BIG_ENDIAN_NUMBERS;
  image->layout.pointer_size = made->choices & SHORT_POINTERS ? 4 : 8;
}

void fuzz_set_image(gp_image *image, uint8_t choices, const char *const *names,
                    const fuzz_part *sections, size_t count) {
  object_count = 0;
  set_image(image, add_object("", choices, names, sections, count));
}

void fuzz_add_file(const char *suffix, const char *const *names,
                   const fuzz_part *sections, size_t count) {
  uint8_t choices = objects[0].choices & (uint8_t)~OTHERS;
  add_object(suffix, choices, names, sections, count);
}

/* --- libbfd ---------------------------------------------------------------------- */

static object *object_of(bfd *file) { return (object *)file; }

asection *bfd_get_section_by_name(bfd *file, const char *name) {
  object *made = object_of(file);
  for (size_t i = 0; i < made->count; i++)
    if (strcmp(made->names[i], name) == 0 && made->sections[i].size > 0)
      return &made->sections[i];
  return made->choices & OTHERS && strcmp(name, ".stab") == 0 ? made->sections : NULL;
}

int bfd_get_sign_extend_vma(bfd *file) {
  return object_of(file)->choices & SIGNED_ADDRESSES ? 1 : 0;
}

ufile_ptr bfd_get_file_size(bfd *file) {
  const object *made = object_of(file);
  ufile_ptr size = 0;
  for (size_t i = 0; i < made->count; i++) size += made->sections[i].size;
  return size;
}

bool bfd_get_section_contents(bfd *file, asection *section, void *to, file_ptr offset,
                              bfd_size_type count) {
  const object *made = object_of(file);
  fuzz_part part = made->parts[section - made->sections];
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

static bool ends_with(const char *path, const char *suffix) {
  size_t length = strlen(path), end = strlen(suffix);
  return length >= end && strcmp(path + length - end, suffix) == 0;
}

gp_image *gp_image_open_supplementary(const char *path, gp_error *error) {
  for (size_t i = 1; i < object_count; i++) {
    if (!ends_with(path, objects[i].suffix)) continue;
    gp_image *image = malloc(sizeof *image);
    if (!image) abort();
    set_image(image, &objects[i]);
    return image;
  }
  gp_fail(error, "No such file or directory");
  return NULL;
}

void gp_image_close(gp_image *image) { free(image); }

bool gp_image_prepare_locate(const gp_image *image) {
  (void)image;
  return true;
}

bool gp_image_locate(const gp_image *image, uint64_t address, gp_location *location) {
  (void)image;
  *location = (gp_location){"asked.c", "f", (unsigned)(address / 16 % 3 + 1)};
  return address % 16 != 0;
}

/* --- choices --------------------------------------------------------------------- */

size_t fuzz_choose_ranges(fuzz_part choices, size_t from, gp_range *ranges) {
  uint64_t address = FUZZ_TEXT_LOW;
  size_t count = 0;
  for (; count < FUZZ_MAX_RANGES && from + 2 * count + 1 < choices.size; count++) {
    address += fuzz_byte(choices, from + 2 * count);
    uint64_t high = address + 1 + fuzz_byte(choices, from + 2 * count + 1);
    ranges[count] = (gp_range){address, high};
    address = high;
  }
  return count;
}
