/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/calls.h"

#include "runtime/stacks.h"

early_call rec_early[EARLY_CALLS];

#define AT(type, field, offset) \
  _Static_assert(offsetof(type, field) == (offset), #type "." #field)
AT(thread, now.low, THREAD_LOW);
AT(thread, now.size, THREAD_SIZE);
AT(thread, now.top, THREAD_TOP);
AT(thread, now.end, THREAD_END);
AT(thread, buckets, THREAD_BUCKETS);
AT(thread, mask, THREAD_MASK);
AT(thread, holder, THREAD_HOLDER);
AT(thread, instrumented, THREAD_INSTRUMENTED);
AT(thread, unknown, THREAD_UNKNOWN);
AT(thread, cached_slots, THREAD_CACHED_SLOTS);
AT(thread, cached_calls, THREAD_CACHED_CALLS);
AT(slot, frame, SLOT_FRAME);
AT(slot, returns, SLOT_RETURNS);
AT(slot, context, SLOT_CONTEXT);
AT(slot, call, SLOT_CALL);
AT(record, context, RECORD_CONTEXT);
AT(record, from, RECORD_FROM);
AT(record, self, RECORD_SELF);
AT(record, entered, RECORD_ENTERED);
AT(record, count, RECORD_COUNT);
AT(record, next, RECORD_NEXT);
AT(record, inside, RECORD_INSIDE);
AT(record, follower, RECORD_FOLLOWER);
_Static_assert(sizeof(record) == RECORD_BYTES, "record");
_Static_assert(sizeof(slot) == SLOT_BYTES, "slot");

__attribute__((cold)) void rec_count_lost(uint64_t calls) {
  __atomic_fetch_add(&rec_lost, calls, __ATOMIC_RELAXED);
}

__attribute__((noinline, cold)) void rec_count_early(uintptr_t from, uintptr_t self) {
  if (rec_state != NOT_STARTED) return;
  for (early_call *call = rec_early; call < rec_early + EARLY_CALLS; call++) {
    if (call->self == 0) *call = (early_call){from, self, 0};
    if (call->from != from || call->self != self) continue;
    call->count++;
    return;
  }
  rec_count_lost(1);
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

/* Returns an address below the frames of the code that a signal handler has interrupted.
 * `frame` and `pointer` are the handler's. Its frame pointer does not lead to its caller:
 * on x86-64, it is that of the interrupted code, which may use the register for other
 * data. On AArch64, it leads to a frame record that the kernel puts directly below the
 * interrupted stack. Slots of frames that were below it must go: the handler's variables
 * lie above its own record, and may overwrite theirs while the handler runs. */
static uintptr_t below_interrupted(const thread *t, uintptr_t frame, uintptr_t pointer) {
#ifdef __aarch64__
  if (pointer > frame && pointer - t->now.low < t->now.size) return pointer;
#else
  (void)t, (void)pointer;
#endif
  return frame;
}

/* The table must be held. */
static void record_call(thread *t, uintptr_t self, uintptr_t from, uintptr_t frame,
                        uintptr_t pointer) {
  if (frame - t->now.low >= t->now.size && !rec_switch_stack(t, frame)) {
    rec_count_lost(1);
    return;
  }
  if (UNLIKELY(follows_push(t, from, self))) {
    frame += sizeof frame;
    from = return_address(frame);
  }
  uintptr_t below = frame;
  if (rec_is_signal_return(from)) {
    below = below_interrupted(t, frame, pointer);
    pointer = 0;
  }
  while (t->now.top->frame <= below) t->now.top--;
  bool by_order;
  slot *at = rec_find_slot(t, frame, pointer, &by_order);
  record *call = rec_find_call(t, &at, from, self, by_order);
  if (!call) {
    rec_count_lost(1);
    return;
  }
  add_to(&call->count, 1);
  rec_cache_call(t, call, frame);
  t->now.top = at;
  if (at + 1 == t->now.end && !rec_grow_slots(t)) return;
  rec_cache_slot(t, t->now.top);
  rec_push(t, t->now.top, frame, return_address(frame), call);
}

void rec_call(uintptr_t self, uintptr_t from, uintptr_t frame, uintptr_t pointer) {
  thread *const t = rec_claim(from, self, frame);
  if (!t) return;
  record_call(t, self, from, frame, pointer);
  rec_release(t);
}
