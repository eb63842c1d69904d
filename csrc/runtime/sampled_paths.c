/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/sampled_paths.h"

#include <gnu/libc-version.h>
#include <pthread.h>

#include "runtime/linux.h"
#include "runtime/modules.h"
#include "runtime/stacks.h"

/* Maximum number of functions on a path. */
#define MAX_FRAMES 256

typedef struct frame {
  uintptr_t at, start; /* where the function is, and where it starts */
} frame;

/* A path, which may be too large for the stack of a signal handler. */
typedef struct path_buffer {
  frame found[MAX_FRAMES]; /* the innermost first */
  unwind_cache cache;
} path_buffer;

static bool are_found;

static _Thread_local stack_bounds own_stack __attribute__((tls_model("initial-exec")));
static _Thread_local path_buffer *own_buffer __attribute__((tls_model("initial-exec")));

static void begin(uintptr_t low, uintptr_t high) {
  own_buffer = map_memory(sizeof *own_buffer);
  BARRIER();
  if (own_buffer) own_stack = (stack_bounds){low, high, 0};
}

void rec_begin_paths(void) {
  uintptr_t low, high;
  rec_own_stack((uintptr_t)__builtin_frame_address(0), &low, &high);
  are_found = true;
  begin(low, high);
}

void rec_begin_thread_paths(void) {
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (!are_found || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0)
    begin((uintptr_t)low, (uintptr_t)low + size);
  pthread_attr_destroy(&attributes);
}

void rec_end_thread_paths(void) {
  if (!own_buffer) return;
  own_stack = (stack_bounds){0, 0, 0};
  unmap_memory(own_buffer, sizeof *own_buffer);
  own_buffer = NULL;
}

record *rec_unknown_path(const thread *t) {
  return &t->roots[are_found ? UNKNOWN_STACK : ROOT];
}

/* Finds the functions that are running. Returns their number; 0 if the outermost is not
 * found. */
static size_t find_frames(registers now, stack_bounds bounds, path_buffer *s) {
  for (size_t count = 0; count < MAX_FRAMES;) {
    frame *const f = &s->found[count];
    f->at = now.at;
    const caller above = rec_unwind(&now, bounds, count == 0, &s->cache, &f->start);
    count++;
    if (above == NO_CALLER) return count;
    if (above == UNKNOWN_CALLER) return 0;
  }
  return 0;
}

/* Whether code starts threads: that of the C library, or of the recorder. */
static bool is_starter(uintptr_t address) {
  const module *const m = rec_module_at(address);
  return m && (m == rec_module_at((uintptr_t)gnu_get_libc_version) ||
               m == rec_module_at((uintptr_t)rec_path_of));
}

/* Returns the number of functions without those that started the thread or the signal
 * handler, of which the last one has no caller. */
static size_t without_start(const frame *found, size_t count) {
  if (count > 1) count--;
  while (count > 1 && is_starter(found[count - 1].start)) count--;
  return count;
}

/* Returns the context of code with these registers. */
static record *context_of(thread *t, registers now, stack_bounds bounds, path_buffer *s) {
  const frame *const found = s->found;
  record *context = &t->roots[ROOT];
  const size_t all = find_frames(now, bounds, s);
  if (all == 0) return rec_unknown_path(t);
  size_t i = without_start(found, all);
  if (i == all) i--; /* the only function has no caller */
  for (; i > 0; i--) {
    const record *const call = rec_call_in(t, context, found[i].at, found[i - 1].start);
    if (!call) return &t->roots[JOINED];
    context = call->entered;
  }
  return context;
}

static bool contains(stack_bounds bounds, uintptr_t address) {
  return address - bounds.low < bounds.high - bounds.low;
}

record *rec_path_of(thread *t, registers now) {
  stack_bounds bounds = own_stack;
  if (own_buffer && !contains(bounds, now.stack))
    rec_alternate_stack(&bounds.low, &bounds.high);
  if (!own_buffer || !contains(bounds, now.stack)) return rec_unknown_path(t);
  return context_of(t, now, bounds, own_buffer);
}

record *rec_path_of_waiting(thread *waiting, uintptr_t at, uintptr_t pointer,
                            stack_bounds copied) {
  static path_buffer s;
  const registers now = {.at = at, .stack = pointer, .no_frame = true};
  if (!are_found || copied.high == 0 || !rec_hold_libraries())
    return rec_unknown_path(waiting);
  record *const context = context_of(waiting, now, copied, &s);
  rec_release_libraries();
  return context;
}
