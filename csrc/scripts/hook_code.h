/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of the interpreter that runs only because a hook is set: samples in it are the
 * recorder's.
 *
 * The interpreter may be stripped, so its functions are found by unwinding: those on the
 * C stack of a hook, but not on that of a C function; and the functions that are called
 * by the one that calls hooks for lines. Unwind tables give their sizes.
 */
#ifndef GPROF_SCRIPTS_HOOK_CODE_H
#define GPROF_SCRIPTS_HOOK_CODE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct scr_code {
  uintptr_t low, high;
} scr_code;

enum { SCR_CODES = 12 };

typedef struct scr_hook_code {
  scr_code list[SCR_CODES];
  int count;            /* 0: not known */
} scr_hook_code;

/* Finds that of hooks for some events. `hook` is code that belongs to it. */
scr_hook_code scr_find_hook_code(int events, uintptr_t hook);

static inline bool scr_is_hook_code(const scr_hook_code *code, uintptr_t at) {
  for (int i = 0; i < code->count; i++)
    if (at - code->list[i].low < code->list[i].high - code->list[i].low) return true;
  return false;
}

#endif
