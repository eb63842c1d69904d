/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/modules.h"

#include <dlfcn.h>
#include <time.h>

#include "runtime/linux.h"

module *rec_modules, *rec_reserved_modules;

const module *rec_module_at(uintptr_t address) {
  const module *m = __atomic_load_n(&rec_modules, __ATOMIC_ACQUIRE);
  while (m && address - m->low >= m->high - m->low)
    m = __atomic_load_n(&m->next, __ATOMIC_ACQUIRE);
  return m;
}

static bool are_held;

/* Number of threads that are closing a library. It stays raised if a destructor leaves
 * dlclose by longjmp (an exception ends the program). Then the C library never closes
 * another library, and samples of threads that wait have no callers. */
static int closing;

bool rec_hold_libraries(void) {
  __atomic_store_n(&are_held, true, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&closing, __ATOMIC_SEQ_CST) <= 0) return true;
  rec_release_libraries();
  return false;
}

void rec_release_libraries(void) { __atomic_store_n(&are_held, false, __ATOMIC_RELEASE); }

void rec_begin_closing(void) {
  const struct timespec moment = {0, 20000};
  __atomic_fetch_add(&closing, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&are_held, __ATOMIC_SEQ_CST))
    SYSTEM_CALL(nanosleep, &moment, 0, 0, 0);
}

void rec_end_closing(void) { __atomic_fetch_sub(&closing, 1, __ATOMIC_SEQ_CST); }

void rec_forget_holders(void) {
  are_held = false;
  closing = 0;
}

/* The head of .eh_frame_hdr, in the only form that linkers write. A sorted table of
 * function starts follows. The starts are relative to the section. */
typedef struct unwind_head {
  unsigned char version, pointer_form, count_form, table_form;
  int32_t frames;
  uint32_t count;
  struct {
    int32_t start, frame;
  } row[];
} unwind_head;

/* Asks the C library for the object at an address. The list of modules may be out of
 * date: the C library closes libraries of its own unnoticed, and then their unwind tables
 * are unmapped. */
typedef struct lookup {
  uintptr_t address;
  bool found;
  struct dl_find_object object;
} lookup;

#pragma weak _dl_find_object

static void look_up(void *into) {
  lookup *l = into;
  l->found = _dl_find_object((void *)l->address, &l->object) == 0;
}

bool rec_is_loaded(const module *m) {
  lookup l = {.address = m->code};
  if (!_dl_find_object || m->replaced) return false;
  look_up(&l);
  return l.found;
}

/* Finds the unwind table for an address. `preserves`: vector registers. */
static unwind_table find_table(uintptr_t address, bool preserves) {
  if (_dl_find_object) {
    lookup l = {.address = address};
    if (preserves)
      rec_preserve(look_up, &l);
    else
      look_up(&l);
    const unsigned char *const head = l.object.dlfo_eh_frame;
    if (!l.found || !head) return (unwind_table){NULL, 0};
    return (unwind_table){head, (uintptr_t)l.object.dlfo_map_end - (uintptr_t)head};
  }
  const module *m = rec_module_at(address);
  if (!m || is_closed(m)) return (unwind_table){NULL, 0};
  return (unwind_table){m->unwind, m->unwind_size};
}

unwind_table rec_unwind_table(uintptr_t address) { return find_table(address, false); }

/* A row of an unwind table. */
typedef struct unwind_row {
  uintptr_t start;            /* of a function */
  const unsigned char *entry; /* its unwind information */
  const unsigned char *end;   /* of the memory with the table */
} unwind_row;

/* Finds the last row whose function starts at or below an address. */
static bool find_row(unwind_table table, uintptr_t address, unwind_row *found) {
  const unsigned char *const unwind = table.head;
  const size_t size = table.size;
  const unwind_head *head = (const unwind_head *)(const void *)unwind;
  if (size < sizeof *head || head->version != 1 || head->pointer_form != 0x1b ||
      head->count_form != 0x03 || head->table_form != 0x3b)
    return false;
  size_t low = 0, high = head->count;
  if (high > (size - sizeof *head) / sizeof *head->row) return false;
  const uintptr_t base = (uintptr_t)unwind;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (base + (uintptr_t)(intptr_t)head->row[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return false;
  *found = (unwind_row){base + (uintptr_t)(intptr_t)head->row[low - 1].start,
                        unwind + head->row[low - 1].frame, unwind + size};
  return true;
}

uintptr_t rec_function_at(uintptr_t address) {
  unwind_row row;
  return find_row(find_table(address, true), address, &row) ? row.start : 0;
}

const unsigned char *rec_unwind_entry(unwind_table table, uintptr_t address,
                                      uintptr_t *start, const unsigned char **end) {
  unwind_row row;
  if (!find_row(table, address, &row)) return NULL;
  *start = row.start;
  *end = row.end;
  return row.entry;
}
