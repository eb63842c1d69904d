/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/calls.h"

#include "runtime/stacks.h"
#include "runtime/threads.h"

early_call rec_early[EARLY_CALLS];

__attribute__((noinline, cold)) void rec_count_early(uintptr_t from, uintptr_t self) {
  if (rec_state != NOT_STARTED) return;
  for (early_call *call = rec_early; call < rec_early + EARLY_CALLS; call++) {
    if (call->self == 0) *call = (early_call){from, self, 0};
    if (call->from != from || call->self != self) continue;
    call->count++;
    return;
  }
}

/* Whether `push %r10` precedes the call of the hook, as it does in nested functions of
 * gcc on x86-64. Then `from` is r10, a frame of the enclosing function, and the return
 * address is one word further up. */
static bool follows_push(const thread *t, uintptr_t from, uintptr_t self) {
#ifdef __x86_64__
  if (from - t->now.low >= t->now.size) return false;
  const unsigned char *after = (const unsigned char *)self;
  const unsigned char *call = after[-5] == 0xe8 ? after - 5 : after - 6;
  return call[-2] == 0x41 && call[-1] == 0x52;
#else
  (void)t, (void)from, (void)self;
  return false;
#endif
}

__attribute__((cold)) void rec_count_lost(void) {
  __atomic_fetch_add(&rec_lost, 1, __ATOMIC_RELAXED);
}

/* Adds a frame to the shadow stack. */
static inline void push(thread *t, slot *at, uintptr_t frame, record *entered) {
  at[1] = (slot){frame, return_address(frame), entered};
  t->now.top = at + 1;
}

/* Records a call of any kind: the slow path of rec_call. `t->busy` must be set. */
static void record_call(thread *t, uintptr_t self, uintptr_t from, uintptr_t frame,
                        uintptr_t pointer) {
  if (frame - t->now.low >= t->now.size && !rec_switch_stack(t, frame)) {
    rec_count_lost();
    return;
  }
  if (UNLIKELY(follows_push(t, from, self))) {
    frame += sizeof frame;
    from = return_address(frame);
  }
  while (t->now.top->frame <= frame) t->now.top--;
  bool by_order;
  slot *at = rec_find_slot(t, frame, pointer, &by_order);
  record *call = rec_find_call(t, &at, from, self, by_order);
  if (!call) {
    rec_count_lost();
    return;
  }
  call->count++;
  if (!call->outside) {
    at->context->recent[1] = at->context->recent[0];
    at->context->recent[0] = call;
  }
  t->now.top = at;
  if (at + 1 < t->now.end || rec_grow_slots(t)) push(t, t->now.top, frame, call->entered);
}

static __attribute__((noinline)) void slow_call(uintptr_t self, uintptr_t from,
                                                uintptr_t frame, uintptr_t pointer) {
  if (__atomic_load_n(&rec_state, __ATOMIC_RELAXED) != RECORDING) {
    rec_count_early(from, self);
    return;
  }
  thread *t = rec_own;
  if (!t || t->busy) t = rec_other_table(t, frame);
  if (!t) {
    rec_count_lost();
    return;
  }
  t->busy = true;
  BARRIER();
  record_call(t, self, from, frame, pointer);
  BARRIER();
  t->busy = false;
}

/* Whether the function in the innermost slot, `at`, made the call. Its frame must still
 * exist, and the frame pointer must point to this frame or to no frame at all. */
static inline bool made_by(const thread *t, const slot *at, uintptr_t pointer) {
  if (UNLIKELY(at->returns == 0)) return true;
  return at->returns == return_address(at->frame) &&
         (LIKELY(at->frame == pointer) || pointer - t->now.low >= t->now.size);
}

static inline bool is_call(const record *call, uintptr_t from, uintptr_t self) {
  return call->from == from && call->self == self;
}

/* Most calls come from the function in a slot near the top, and repeat one of the last
 * two calls that it made. All other calls are left to slow_call. */
void rec_call(uintptr_t self, uintptr_t from, uintptr_t frame, uintptr_t pointer) {
  thread *t;
  if (UNLIKELY(__atomic_load_n(&rec_state, __ATOMIC_RELAXED) != RECORDING) ||
      UNLIKELY((t = rec_own) == NULL) || UNLIKELY(t->busy)) {
    slow_call(self, from, frame, pointer);
    return;
  }
  t->busy = true;
  BARRIER();
  bool done = false;
  if (LIKELY(frame - t->now.low < t->now.size)) {
    slot *at = t->now.top;
    while (at->frame <= frame) at--;
    record *call = at->context->recent[0];
    if (!is_call(call, from, self)) call = at->context->recent[1];
    if (LIKELY(is_call(call, from, self)) && LIKELY(made_by(t, at, pointer)) &&
        LIKELY(at + 1 < t->now.end)) {
      call->count++;
      push(t, at, frame, call->entered);
      done = true;
    }
  }
  BARRIER();
  t->busy = false;
  if (UNLIKELY(!done)) slow_call(self, from, frame, pointer);
}
