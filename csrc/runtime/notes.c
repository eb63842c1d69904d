/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/notes.h"

#include <string.h>

/* The size of an owner's name or of contents, with padding. */
static size_t padded(uint32_t size) { return (size + (size_t)3) & ~(size_t)3; }

const unsigned char *rec_find_in_notes(const unsigned char *notes, size_t left,
                                       const char *owner, uint32_t type,
                                       uint32_t *size) {
  while (left >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)notes;
    const size_t name = padded(note->n_namesz), contents = note->n_descsz;
    if (name > left || contents > left || sizeof *note + name + contents > left) break;
    if (note->n_type == type && note->n_namesz == strlen(owner) + 1 &&
        memcmp(notes + sizeof *note, owner, note->n_namesz) == 0) {
      *size = note->n_descsz;
      return notes + sizeof *note + name;
    }
    const size_t all = sizeof *note + name + padded(note->n_descsz);
    if (all > left) break; /* the last note may have no padding */
    notes += all;
    left -= all;
  }
  return NULL;
}

const unsigned char *rec_find_note(const struct dl_phdr_info *object, const char *owner,
                                   uint32_t type, uint32_t *size) {
  const unsigned char *found = NULL;
  for (int i = 0; i < object->dlpi_phnum && !found; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_NOTE)
      found = rec_find_in_notes((const unsigned char *)start, segment->p_memsz, owner,
                                type, size);
  }
  return found;
}
