/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks of -finstrument-functions. A function calls one when it begins and one when
 * it ends, so its slot stays on the shadow stack until then. The slot has no return
 * address: `returns` is 0. Its frame is the word below the stack pointer with which the
 * function calls the hook. Inlined functions call the hooks, too, in the frame of the
 * function that contains them.
 */
#include "runtime/calls.h"
#include "runtime/modules.h"
#include "runtime/recorder.h"
#include "runtime/stacks.h"

/* Maximum number of slots that are searched for the function that ends. Functions above
 * it were left by longjmp. */
#define MAX_LEFT 64

/* An address in a function, as `self` is in records. The hooks get the function's start,
 * and lookups use the byte before `self`. */
static uintptr_t self_of(const void *function) { return (uintptr_t)function + 1; }

/* Whether an address is in the function of a slot. */
static bool is_in(const slot *at, uintptr_t address) {
  return at->context->self != 0 &&
         rec_function_at(at->context->self - 1) == rec_function_at(address);
}

static record *find_call(thread *t, slot **at, uintptr_t from, uintptr_t self,
                         uintptr_t frame, bool is_inlined) {
  record *const cached = rec_cached_call(t, from, frame);
  if ((*at)->returns == 0 && cached->context == (*at)->context && cached->from == from &&
      cached->self == self)
    return cached;
  record *call = rec_find_call(t, at, from, self, !is_inlined);
  if (call) rec_cache_call(t, call, frame);
  return call;
}

/* Returns `at`, or the slot below its frame if longjmp has left the function there. The
 * outermost slot of a frame is that of the function; the others were inlined into it. If
 * the own code of another function calls the hook, that function has the frame now. A
 * cold part is not its function's own code for rec_function_at, so it proves nothing. */
static slot *without_left(slot *at, uintptr_t frame, uintptr_t self, uintptr_t inside) {
  slot *owner = at;
  while (owner->frame == frame && owner[-1].frame == frame) owner--;
  const bool is_left = owner->returns == 0 && owner->frame == frame &&
                       rec_function_at(inside) == rec_function_at(self) &&
                       !is_in(owner, inside);
  return is_left ? owner - 1 : at;
}

/* `from` is the address to which the function returns; `inside` is in the function, or in
 * the one into which it is inlined. `calls` is 0 while recording is paused. */
static void begin(thread *t, uintptr_t self, uintptr_t from, uintptr_t inside,
                  uintptr_t frame, uint64_t calls) {
  bool by_order;
  slot *at = rec_find_slot(t, frame - 1, 0, &by_order);
  at = without_left(at, frame, self - 1, inside - 1);
  /* With -pg as well, the function has just been counted, or that which contains it. */
  const bool has_both = at->returns == from;
  if (has_both && is_in(at, self - 1)) return;
  const bool is_inlined = (at->returns == 0 && at->frame == frame) ||
                          (has_both && is_in(at, inside - 1));
  record *call = find_call(t, &at, is_inlined ? inside : from, self, frame, is_inlined);
  if (!call) {
    rec_count_lost(calls);
    return;
  }
  add_to(&call->count, calls);
  t->instrumented = true;
  t->now.top = at;
  if (at + 1 < t->now.end || rec_grow_slots(t)) rec_push(t, t->now.top, frame, 0, call);
}

static void end(thread *t, uintptr_t self) {
  const slot *const least = t->now.slots;
  slot *s = t->now.top;
  for (int i = 0; i < MAX_LEFT && s > least; i++, s--)
    if (s->returns == 0 &&
        (s->context->self == self || s->context == &t->roots[JOINED])) {
      t->now.top = s - 1;
      return;
    }
}

static bool on_stack(thread *t, uintptr_t frame) {
  return frame - t->now.low < t->now.size || rec_switch_stack(t, frame);
}

/* The address of the word below the caller's stack. */
#define FRAME() ((uintptr_t)__builtin_dwarf_cfa() - sizeof(uintptr_t))

EXPORTED void __cyg_profile_func_enter(void *function, void *from);
EXPORTED void __cyg_profile_func_exit(void *function, void *from);

/* Claims a table that this thread has; NULL if there is none. */
static thread *claim_present(uintptr_t frame) {
  thread *t = rec_own;
  while (t && rec_is_held(t, frame)) t = t->second;
  if (t) rec_hold(t);
  return t;
}

/* While recording is paused, functions are entered without counting them. Their ends
 * would otherwise be taken for those of recursive calls that were counted. */
void __cyg_profile_func_enter(void *function, void *from) {
  const uintptr_t frame = FRAME(), inside = (uintptr_t)__builtin_return_address(0);
  const bool paused = __atomic_load_n(&rec_state, __ATOMIC_RELAXED) == PAUSED;
  thread *const t = paused ? claim_present(frame)
                           : rec_claim((uintptr_t)from, self_of(function), frame);
  if (!t) return;
  if (on_stack(t, frame))
    begin(t, self_of(function), (uintptr_t)from, inside, frame, !paused);
  else if (!paused)
    rec_count_lost(1);
  rec_release(t);
}

/* A function whose last action is this call may jump to the hook, which then returns to
 * the caller of the function. The function's stack has been released. */
void __cyg_profile_func_exit(void *function, void *from) {
  const uintptr_t frame = FRAME();
  const bool released = __builtin_return_address(0) == from;
  thread *const t = claim_present(frame);
  if (!t) return;
  if (on_stack(t, frame)) {
    while (t->now.top->frame < frame) t->now.top--;
    if (!released) end(t, self_of(function));
  }
  rec_release(t);
}
