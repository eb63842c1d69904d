/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modules of a process. */
#include "gmon/contexts/loaded_modules.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

bool gp_loaded_modules_add(gp_loaded_modules *modules, const gp_context_module *m,
                           uint32_t number, gp_error *error) {
  if (!GP_RESERVE(&modules->capacity, modules->count + 1, GP_COLUMN(modules->rows)))
    return gp_fail_memory(error);
  modules->rows[modules->count++] =
      (gp_loaded_module){m->loaded, m->code, m->bias, number};
  return true;
}

static int compare(const void *a, const void *b) {
  uint64_t first = ((const gp_loaded_module *)a)->loaded.low;
  uint64_t second = ((const gp_loaded_module *)b)->loaded.low;
  return (first > second) - (first < second);
}

bool gp_loaded_modules_sort(gp_loaded_modules *modules, const gp_records *r) {
  gp_loaded_module *rows = modules->rows;
  if (modules->count > 0) qsort(rows, modules->count, sizeof *rows, compare);
  for (size_t i = 1; i < modules->count; i++)
    if (rows[i].loaded.low < rows[i - 1].loaded.high)
      return gp_fail(r->error, "modules in the section at offset %" PRIu64 " overlap",
                     r->offset);
  return true;
}

static bool ends_before(const void *rows, size_t row, uint64_t address) {
  return ((const gp_loaded_module *)rows)[row].loaded.high <= address;
}

const gp_loaded_module *gp_loaded_modules_find(const gp_loaded_modules *modules,
                                               uint64_t address) {
  size_t i = gp_search(modules->rows, 0, modules->count, address, ends_before);
  bool found = i < modules->count && address >= modules->rows[i].loaded.low;
  return found ? &modules->rows[i] : NULL;
}

void gp_loaded_modules_free(gp_loaded_modules *modules) {
  free(modules->rows);
  *modules = (gp_loaded_modules){0};
}
