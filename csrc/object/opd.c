/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Function descriptors of 64-bit PowerPC, in the section .opd. */
#include "object/opd.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Marks extra symbols (see opd.h): their user data points to this variable. */
static char extra;

/* A code symbol, or the symbol of a descriptor that leads to code. */
typedef struct entry {
  uint64_t address;       /* address of the code */
  const asymbol *symbol;
  asection *code;         /* section that the descriptor leads to; NULL: a code symbol */
  size_t order;           /* index in the symbol table */
} entry;

/* The section .opd, and the symbols found. */
typedef struct descriptors {
  bfd *file;
  gp_layout layout;
  const asection *section;
  unsigned char *bytes;
  uint64_t size;
  asection *code;         /* section that the last descriptor led to */
  entry *entries;
  size_t count;
  size_t made;            /* number of symbols to make */
  size_t name_bytes;      /* total size of the names of the symbols to make */
} descriptors;

/* Reads .opd. Leaves the size 0 if there is nothing to read. False if there is no
 * memory. */
static bool read_section(descriptors *d) {
  asection *section = bfd_get_section_by_name(d->file, ".opd");
  if (!section || !(bfd_get_file_flags(d->file) & (EXEC_P | DYNAMIC))) return true;
  uint64_t size = bfd_section_size(section);
  if (!(bfd_section_flags(section) & SEC_HAS_CONTENTS)) return true;
  if (size > bfd_get_file_size(d->file)) return true;
  if (!gp_resize(&d->bytes, size, 1)) return false;
  d->section = section;
  if (bfd_get_section_contents(d->file, section, d->bytes, 0, size)) d->size = size;
  return true;
}

static bool holds(const asection *section, uint64_t address) {
  return section && bfd_section_flags(section) & SEC_CODE &&
         address >= bfd_section_vma(section) &&
         address - bfd_section_vma(section) < bfd_section_size(section);
}

/* Sets *address to the address in the descriptor at `offset`. Returns the code section
 * that contains it, or NULL. */
static asection *follow(descriptors *d, uint64_t offset, uint64_t *address) {
  unsigned pointer = d->layout.pointer_size;
  if (d->size < pointer || offset > d->size - pointer) return NULL;
  *address = gp_pointer(d->bytes + offset, d->layout);
  if (holds(d->code, *address)) return d->code;
  asection *section = d->file->sections;
  while (section && !holds(section, *address)) section = section->next;
  if (section) d->code = section;
  return section;
}

/* Fills the entry of a symbol. False if the symbol is neither a code symbol nor the
 * symbol of a descriptor that leads to code. */
static bool make_entry(descriptors *d, const asymbol *symbol, entry *e) {
  if (symbol->flags & BSF_SECTION_SYM || !symbol->name) return false;
  if (symbol->section == d->section) {
    e->code = follow(d, symbol->value, &e->address);
    return e->code != NULL;
  }
  e->address = bfd_asymbol_value(symbol);
  return symbol->section->flags & SEC_CODE;
}

/* Collects the entries. Their names will be copied. In a damaged file many names may
 * share most of the string table, so the total length of the names is limited to the size
 * of the file. */
static void collect(descriptors *d, asymbol *const *symbols, size_t count) {
  uint64_t room = bfd_get_file_size(d->file);
  for (size_t i = 0; i < count && d->name_bytes <= room; i++) {
    entry e = {.symbol = symbols[i], .order = i};
    if (!make_entry(d, symbols[i], &e)) continue;
    if (e.code) {
      d->made++;
      d->name_bytes += strlen(symbols[i]->name) + 2;
    }
    d->entries[d->count++] = e;
  }
}

static int by_address(const void *left, const void *right) {
  const entry *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

/* Makes a symbol and stores its name at `name`. Returns one past the end of the name. */
static char *fill(asymbol *made, const entry *e, bool is_extra, char *name) {
  size_t length = strlen(e->symbol->name) + 1;
  *made = *e->symbol;
  made->flags |= BSF_SYNTHETIC;
  made->section = e->code;
  made->value = e->address - bfd_section_vma(e->code);
  made->udata.p = is_extra ? &extra : NULL;
  made->name = name;
  *name = '.';
  memcpy(name + 1, e->symbol->name, length);
  return name + 1 + length;
}

/* Entries `first` to `end` - 1 have the same address. Returns the one that libbfd would
 * use: the first code symbol, else the first symbol that is not weak, else the first. */
static size_t find_main(const descriptors *d, size_t first, size_t end) {
  size_t strong = end;
  for (size_t i = end; i-- > first;) {
    if (!d->entries[i].code) return i;
    if (!(d->entries[i].symbol->flags & BSF_WEAK)) strong = i;
  }
  return strong < end ? strong : first;
}

static bool make(descriptors *d, asymbol **made) {
  if (d->made == 0) return true;
  asymbol *symbol = *made = malloc(d->made * sizeof **made + d->name_bytes);
  if (!symbol) return false;
  char *name = (char *)(symbol + d->made);
  for (size_t first = 0, end; first < d->count; first = end) {
    for (end = first + 1; end < d->count; end++)
      if (d->entries[end].address != d->entries[first].address) break;
    size_t main = find_main(d, first, end);
    for (size_t i = first; i < end; i++)
      if (d->entries[i].code) name = fill(symbol++, &d->entries[i], i != main, name);
  }
  return true;
}

static bool resolve(descriptors *d, asymbol *const *symbols, size_t count,
                    asymbol **made) {
  if (!read_section(d)) return false;
  if (d->size == 0) return true;
  d->entries = gp_column(count, sizeof *d->entries);
  if (!d->entries) return false;
  collect(d, symbols, count);
  qsort(d->entries, d->count, sizeof *d->entries, by_address);
  return make(d, made);
}

bool gp_opd_resolve(bfd *file, gp_layout layout, asymbol *const *symbols,
                    size_t count, asymbol **made, size_t *made_count) {
  descriptors d = {.file = file, .layout = layout};
  *made = NULL;
  bool done = resolve(&d, symbols, count, made);
  *made_count = d.made;
  free(d.entries);
  free(d.bytes);
  return done;
}

bool gp_opd_is_extra(const asymbol *symbol) {
  return symbol->flags & BSF_SYNTHETIC && symbol->udata.p == &extra;
}
