/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF notes of loaded objects. */
#ifndef GPROF_RUNTIME_NOTES_H
#define GPROF_RUNTIME_NOTES_H

#include <link.h>
#include <stdint.h>

/* Returns the contents of the first note with this owner and type, and sets *size to
 * their size; NULL if there is none. */
const unsigned char *rec_find_note(const struct dl_phdr_info *object, const char *owner,
                                   uint32_t type, uint32_t *size);

/* The same for a copy of notes, which has `left` bytes. */
const unsigned char *rec_find_in_notes(const unsigned char *notes, size_t left,
                                       const char *owner, uint32_t type, uint32_t *size);

#endif
