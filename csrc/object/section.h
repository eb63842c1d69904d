/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A section of the image, read in pieces.
 *
 * Debugging sections can be larger than all the rest, and little of most of them is
 * wanted. So pieces are read where they lie; only a compressed section has to be inflated
 * as a whole, when something of it is wanted first.
 */
#ifndef GP_OBJECT_SECTION_H
#define GP_OBJECT_SECTION_H

#include "object/image.h"

typedef struct gp_section {
  bfd *file;
  asection *section;        /* NULL if there is none */
  uint64_t size;            /* in bytes, when inflated; 0 if there is none */
  unsigned char *inflated;
  bool no_memory;           /* some of it was wanted, and there was no memory for it */
} gp_section;

/* The section of that name, or of the one that compressed ones used to have: .zdebug_info
 * for .debug_info. One that claims more than the file can hold is none. */
void gp_section_open(gp_section *section, const gp_image *image, const char *name);
void gp_section_free(gp_section *section);

/* Copies `length` bytes; false unless all of them are there. */
bool gp_section_read(gp_section *section, uint64_t offset, void *to, size_t length);

/* gp_resize (see array.h) for what is read of a section, which notes if it fails. */
bool gp_section_room(gp_section *section, void *column, size_t capacity, size_t size);

/* A copy (free() it) of the text that ends with a NUL, or NULL if there is none, or none
 * of reasonable length. */
char *gp_section_text(gp_section *section, uint64_t offset);

#endif
