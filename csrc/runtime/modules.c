/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/modules.h"

module *rec_modules;

const module *rec_module_at(uintptr_t address) {
  const module *m = __atomic_load_n(&rec_modules, __ATOMIC_ACQUIRE);
  while (m && address - m->low >= m->high - m->low)
    m = __atomic_load_n(&m->next, __ATOMIC_ACQUIRE);
  return m;
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

uintptr_t rec_function_at(uintptr_t address) {
  const module *m = rec_module_at(address);
  if (!m || m->closed || m->unwind_size < sizeof(unwind_head)) return 0;
  const unwind_head *head = (const unwind_head *)(const void *)m->unwind;
  if (head->version != 1 || head->pointer_form != 0x1b || head->count_form != 0x03 ||
      head->table_form != 0x3b)
    return 0;
  size_t low = 0, high = head->count;
  if (high > (m->unwind_size - sizeof *head) / sizeof *head->row) return 0;
  const uintptr_t base = (uintptr_t)m->unwind;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (base + (uintptr_t)(intptr_t)head->row[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? 0 : base + (uintptr_t)(intptr_t)head->row[low - 1].start;
}
