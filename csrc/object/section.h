/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A section of the image, read in pieces.
 *
 * Debugging sections can be larger than the rest of the file, and often only small parts
 * are needed. So pieces are read from the file on demand. A compressed section is
 * decompressed as a whole by the first read.
 */
#ifndef GP_OBJECT_SECTION_H
#define GP_OBJECT_SECTION_H

#include "object/image.h"

typedef struct gp_section {
  bfd *file;
  asection *section;        /* NULL if there is no such section */
  uint64_t size;            /* decompressed size in bytes; 0 if there is no such
                               section */
  unsigned char *contents;  /* the decompressed contents, or NULL; see gp_section_all */
  bool no_memory;           /* gp_section_room failed */
} gp_section;

/* Opens the section `name`, or its old compressed form: .zdebug_info for .debug_info. A
 * section that claims more bytes than the file can hold is treated as missing. */
void gp_section_open(gp_section *section, const gp_image *image, const char *name);
void gp_section_free(gp_section *section);

/* Copies `length` bytes from `offset` to `to`. False if any of them cannot be read. */
bool gp_section_read(gp_section *section, uint64_t offset, void *to, size_t length);

/* Reads the whole section into memory, once. Returns its contents, which gp_section_free
 * frees; NULL if the section is empty or cannot be read. */
const unsigned char *gp_section_all(gp_section *section);

/* Calls gp_resize (see array.h) for data read from a section. Sets no_memory on
 * failure. */
bool gp_section_room(gp_section *section, void *column, size_t capacity, size_t size);

/* Returns a copy (free() it) of the NUL-terminated string at `offset`. NULL if it cannot
 * be read, or is longer than `*budget` or any file name. Subtracts the bytes that were
 * searched from `*budget`. */
char *gp_section_text(gp_section *section, uint64_t offset, uint64_t *budget);

/* The contents of a whole section. */
typedef struct gp_contents {
  uint8_t *bytes;           /* free() them; NULL only if there is no memory */
  uint64_t low, size;       /* first address and size; 0 if there is no such section or it
                               cannot be read */
} gp_contents;

/* Reads a whole section. False if there is no memory. */
bool gp_section_contents(gp_contents *contents, const gp_image *image, const char *name);

#endif
