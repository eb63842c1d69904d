/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library that the recorder wraps, to notice when the program closes a
 * library and when it switches to a coroutine's stack. The C library's own functions are
 * found by the dynamic linker, so this file is not in the archive for static programs.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/modules.h"
#include "runtime/recorder.h"
#include "runtime/stacks.h"

/* dlopen is not wrapped, because it searches the run path (DT_RUNPATH) of the object that
 * calls it. */
EXPORTED int dlclose(void *handle) {
  int (*const original)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
  rec_update_modules();
  const int result = original(handle);
  rec_update_modules();
  return result;
}

EXPORTED int swapcontext(ucontext_t *restrict old, const ucontext_t *restrict new) {
  typedef int function(ucontext_t *, const ucontext_t *);
  function *const original = (function *)dlsym(RTLD_NEXT, "swapcontext");
  const uintptr_t low = (uintptr_t)new->uc_stack.ss_sp;
  if (low) rec_register_stack(low, low + new->uc_stack.ss_size);
  return original(old, new);
}
