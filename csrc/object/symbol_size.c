/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sizes of symbols. */
#include "object/symbol_size.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- ELF structures ------------------------------------------------------------- */

static uint64_t read_number(const unsigned char *bytes, size_t size, gp_layout layout) {
  switch (size) {
    case 2: return gp_u16(bytes, layout);
    case 4: return gp_u32(bytes, layout);
    default: return gp_u64(bytes, layout);
  }
}

/* FIELD reads a field of the structure at `bytes`; SIZE is the size of a structure. The
 * structure is Elf32_`type` or Elf64_`type` of elf.h, depending on the ELF class. */
#define FIELD(table, bytes, type, field)                                                 \
  ((table)->layout.pointer_size == 8                                                     \
       ? read_number((bytes) + offsetof(Elf64_##type, field),                            \
                     sizeof((Elf64_##type *)0)->field, (table)->layout)                  \
       : read_number((bytes) + offsetof(Elf32_##type, field),                            \
                     sizeof((Elf32_##type *)0)->field, (table)->layout))
#define SIZE(table, type)                                                                \
  ((table)->layout.pointer_size == 8 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static bool read_at(bfd *file, uint64_t offset, void *to, size_t size) {
  return offset <= INT64_MAX && bfd_seek(file, (file_ptr)offset, SEEK_SET) == 0 &&
         bfd_bread(to, size, file) == size;
}

/* Returns how many of the `claimed` items of `size` bytes at `offset` are in the file. */
static uint64_t count_held(bfd *file, uint64_t offset, uint64_t size, uint64_t claimed) {
  uint64_t end = bfd_get_file_size(file);
  uint64_t held = offset < end ? (end - offset) / size : 0;
  return claimed < held ? claimed : held;
}

/* --- symbol tables -------------------------------------------------------------- */

/* Finds the section headers. If their number does not fit in the ELF header, it is stored
 * in the first section header. */
static bool find_sections(gp_elf_symtab *table, uint64_t *offset, uint64_t *count) {
  unsigned char header[sizeof(Elf64_Ehdr)] = {0}, first[sizeof(Elf64_Shdr)];
  if (!read_at(table->file, 0, header, sizeof(Elf32_Ehdr))) return false;
  table->layout.big_endian = header[EI_DATA] == ELFDATA2MSB;
  table->layout.pointer_size = header[EI_CLASS] == ELFCLASS64 ? 8 : 4;
  if (!read_at(table->file, 0, header, SIZE(table, Ehdr))) return false;
  size_t size = SIZE(table, Shdr);
  *offset = FIELD(table, header, Ehdr, e_shoff);
  *count = FIELD(table, header, Ehdr, e_shnum);
  if (*offset == 0 || FIELD(table, header, Ehdr, e_shentsize) != size) return false;
  if (*count == 0) {
    if (!read_at(table->file, *offset, first, size)) return false;
    *count = FIELD(table, first, Shdr, sh_size);
  }
  *count = count_held(table->file, *offset, size, *count);
  return true;
}

/* Finds the section of a type, SHT_SYMTAB or SHT_DYNSYM. Leaves the table empty if there
 * are several, because it is unknown which one libbfd has read. */
static void open_table(gp_elf_symtab *table, bfd *file, uint64_t type) {
  unsigned char section[sizeof(Elf64_Shdr)];
  uint64_t offset, count;
  memset(table, 0, sizeof *table);
  table->file = file;
  if (!find_sections(table, &offset, &count)) return;
  size_t header = SIZE(table, Shdr), entry = SIZE(table, Sym);
  for (uint64_t i = 0; i < count; i++) {
    if (!read_at(file, offset + i * header, section, header)) return;
    if (FIELD(table, section, Shdr, sh_type) != type) continue;
    if (table->offset != 0) {
      table->count = 0;
      return;
    }
    table->offset = FIELD(table, section, Shdr, sh_offset);
    table->count = count_held(file, table->offset, entry,
                              FIELD(table, section, Shdr, sh_size) / entry);
  }
}

/* Moves the window to contain an entry. Windows are aligned to their size, because the
 * next entry needed is often a neighbour, on either side. */
static bool move_window(gp_elf_symtab *table, uint64_t entry) {
  size_t bytes = SIZE(table, Sym), capacity = sizeof table->window / bytes;
  uint64_t first = entry - entry % capacity, left = table->count - first;
  table->moves++;
  table->first = first;
  table->held = left < capacity ? left : capacity;
  bool done = read_at(table->file, table->offset + first * bytes, table->window,
                      (size_t)table->held * bytes);
  if (!done) table->held = 0;
  return done;
}

/* Reads the whole table. Without memory for it, or if the file has become shorter, the
 * window stays in use. */
static void read_whole(gp_elf_symtab *table) {
  uint64_t bytes = table->count * SIZE(table, Sym);
  unsigned char *whole = bytes <= SIZE_MAX ? malloc((size_t)bytes) : NULL;
  table->moves = 0;
  if (whole && read_at(table->file, table->offset, whole, (size_t)bytes))
    table->whole = whole;
  else
    free(whole);
}

/* Returns the bytes of an entry; NULL if they cannot be read. Reads the whole table once
 * the number of moves reaches a quarter of the number of windows in the table. */
static const unsigned char *find_entry(gp_elf_symtab *table, uint64_t entry) {
  size_t bytes = SIZE(table, Sym);
  bool inside = entry >= table->first && entry - table->first < table->held;
  if (!inside && table->moves * 4 * sizeof table->window > table->count * bytes)
    read_whole(table);
  if (table->whole) return table->whole + entry * bytes;
  if (!inside && !move_window(table, entry)) return NULL;
  return table->window + (entry - table->first) * bytes;
}

static uint64_t entry_size(gp_elf_symtab *table, uint64_t entry) {
  const unsigned char *symbol =
      entry < table->count ? find_entry(table, entry) : NULL;
  return symbol ? FIELD(table, symbol, Sym, st_size) : 0;
}

/* --- symbols of an image -------------------------------------------------------- */

bool gp_symbol_sizes_open(gp_symbol_sizes *sizes, const gp_image *image) {
  size_t count = image->symbol_count;
  sizes->image = image;
  if (bfd_get_flavour(image->file) != bfd_target_elf_flavour) return false;
  /* skip the dynamic symbols that mini_debug.c appended, but not synthetic symbols, which
   * have no file */
  while (count > 0 && bfd_asymbol_bfd(image->symbols[count - 1]) != image->file &&
         bfd_asymbol_bfd(image->symbols[count - 1]))
    count--;
  sizes->dynamic = count;
  open_table(&sizes->table, image->file, image->dynamic ? SHT_DYNSYM : SHT_SYMTAB);
  sizes->dynamic_table = (gp_elf_symtab){0};
  if (count < image->symbol_count)
    open_table(&sizes->dynamic_table, bfd_asymbol_bfd(image->symbols[count]),
               SHT_DYNSYM);
  return true;
}

void gp_symbol_sizes_close(gp_symbol_sizes *sizes) {
  free(sizes->table.whole);
  free(sizes->dynamic_table.whole);
}

/* libbfd's symbols are the entries of the table, except for the first entry, the null
 * symbol. */
uint64_t gp_symbol_sizes_size(gp_symbol_sizes *sizes, size_t number) {
  if (sizes->image->symbols[number]->flags & BSF_SYNTHETIC) return 0;
  return number < sizes->dynamic
             ? entry_size(&sizes->table, (uint64_t)number + 1)
             : entry_size(&sizes->dynamic_table, (uint64_t)(number - sizes->dynamic) + 1);
}

uint64_t gp_symbol_sizes_end(gp_symbol_sizes *sizes, size_t number) {
  const asymbol *symbol = sizes->image->symbols[number];
  const asection *section = symbol->section;
  if (!section || symbol->value >= bfd_section_size(section)) return UINT64_MAX;
  uint64_t address = bfd_asymbol_value(symbol);
  uint64_t size = gp_symbol_sizes_size(sizes, number);
  if (size == 0) size = bfd_section_size(section) - symbol->value;
  return size < UINT64_MAX - address ? address + size : UINT64_MAX;
}
