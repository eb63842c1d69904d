/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jump tables of switch statements. */
#include "profile/code/jump_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

bool gp_jump_tables_open(gp_jump_tables *tables, const gp_image *image,
                         const gp_symtab *symtab) {
  *tables = (gp_jump_tables){.symtab = symtab, .file = image->file};
  tables->pointer_size = (size_t)bfd_arch_bits_per_address(image->file) / 8;
  return gp_section_contents(&tables->data, image, ".rodata");
}

void gp_jump_tables_free(gp_jump_tables *tables) {
  free(tables->data.bytes);
  free(tables->table);
  free(tables->target);
  memset(tables, 0, sizeof *tables);
}

/* Returns where an entry of a table leads; 0 if it is not in .rodata. */
static uint64_t entry(const gp_jump_tables *tables, const gp_jump_table *table,
                      size_t row) {
  const gp_contents *data = &tables->data;
  uint64_t offset = table->address - data->low;
  size_t size = table->relative ? 4 : tables->pointer_size;
  if (table->address < data->low || offset > data->size ||
      row >= (data->size - offset) / size)
    return 0;
  const uint8_t *bytes = data->bytes + offset + row * size;
  if (table->relative)
    return table->address + (uint64_t)bfd_get_signed_32(tables->file, bytes);
  return size == 4 ? bfd_get_32(tables->file, bytes) : bfd_get_64(tables->file, bytes);
}

static bool leads_into_function(const gp_jump_tables *tables, const gp_jump_table *table,
                                size_t row) {
  const gp_symtab *symtab = tables->symtab;
  uint64_t target = entry(tables, table, row);
  uint32_t above = target != 0 ? gp_symtab_above(symtab, target) : 0;
  return above > 0 && target <= gp_symtab_end(symtab, above - 1) &&
         gp_symtab_function(symtab, above - 1) == table->function;
}

/* Finds out whether the entries of a table are offsets. False if it is not a table. */
static bool detect(const gp_jump_tables *tables, gp_jump_table *table) {
  table->relative = true;
  if (leads_into_function(tables, table, 0)) return true;
  table->relative = false;
  return leads_into_function(tables, table, 0);
}

bool gp_jump_tables_has(const gp_jump_tables *tables, uint64_t address,
                        uint32_t function) {
  return detect(tables, &(gp_jump_table){.address = address, .function = function});
}

bool gp_jump_tables_add(gp_jump_tables *tables, uint64_t address, uint32_t function) {
  if (!GP_RESERVE(&tables->capacity, tables->count + 1, GP_COLUMN(tables->table)))
    return false;
  gp_jump_table *table = &tables->table[tables->count++];
  *table = (gp_jump_table){.address = address, .function = function};
  detect(tables, table);
  return true;
}

static int compare(const void *a, const void *b) {
  const gp_jump_table *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  return (x->function > y->function) - (x->function < y->function);
}

/* Sorts the tables by address, and keeps one table at each address. */
static void sort(gp_jump_tables *tables) {
  size_t kept = 0;
  if (tables->count > 0)  /* qsort() must not get NULL */
    qsort(tables->table, tables->count, sizeof *tables->table, compare);
  for (size_t i = 0; i < tables->count; i++)
    if (i == 0 || tables->table[i].address != tables->table[kept - 1].address)
      tables->table[kept++] = tables->table[i];
  tables->count = kept;
}

static bool read_table(gp_jump_tables *tables, gp_jump_table *table, uint64_t end) {
  size_t size = table->relative ? 4 : tables->pointer_size;
  table->first = tables->target_count;
  for (size_t row = 0; row < (end - table->address) / size &&
                       leads_into_function(tables, table, row); row++) {
    if (!GP_RESERVE(&tables->target_capacity, tables->target_count + 1,
                    GP_COLUMN(tables->target)))
      return false;
    tables->target[tables->target_count++] = entry(tables, table, row);
  }
  table->end = tables->target_count;
  return true;
}

bool gp_jump_tables_read(gp_jump_tables *tables) {
  sort(tables);
  for (size_t i = 0; i < tables->count; i++) {
    uint64_t end = i + 1 < tables->count ? tables->table[i + 1].address : UINT64_MAX;
    if (!read_table(tables, &tables->table[i], end)) return false;
  }
  return true;
}

static bool begins_before(const void *tables, size_t row, uint64_t address) {
  return ((const gp_jump_table *)tables)[row].address < address;
}

gp_jump_table *gp_jump_tables_find(gp_jump_tables *tables, uint64_t address,
                                   uint32_t function) {
  size_t row = gp_search(tables->table, 0, tables->count, address, begins_before);
  if (row == tables->count || tables->table[row].address != address ||
      tables->table[row].function != function)
    return NULL;
  return &tables->table[row];
}
