/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/lua_frames.h"

#include <errno.h>
#include <unistd.h>

#include "runtime/environment.h"
#include "runtime/execute.h"
#include "runtime/lua_ticks.h"
#include "runtime/modules.h"
#include "runtime/stacks.h"
#include "runtime/threads.h"

/* --- slots ------------------------------------------------------------------ */

/* Claims the table if this thread runs the program. */
static thread *claim(void) {
  return rec_own == rec_lua.table ? rec_begin_work() : NULL;
}

/* Returns the slot with this number, or the topmost one. */
static slot *slot_at(const thread *t, uint32_t number) {
  const size_t last = (size_t)(t->now.top - t->now.slots);
  return t->now.slots + (number < last ? number : last);
}

static uint32_t number_of(const thread *t, const slot *s) {
  return (uint32_t)(s - t->now.slots);
}

/* Returns the slot of the innermost function that has called the interpreter: that of a C
 * function above the slot of `caller`, or this slot. `frame` is below their frames. */
static slot *calling_slot(thread *t, const gprof_lua_frame *caller, uintptr_t frame) {
  if (frame - t->now.low >= t->now.size) rec_switch_stack(t, frame);
  slot *const least = slot_at(t, caller->slot);
  while (t->now.top > least && t->now.top->frame <= frame) t->now.top--;
  slot *const found = rec_innermost(t, t->now.top);
  return found > least ? found : least;
}

/* Puts a call into a Lua slot: `at`, or a new one above it. Returns the number of the
 * slot; 0 if there is no memory. */
static uint32_t put(thread *t, slot *at, record *call) {
  t->now.top = at;
  if (!rec_is_lua(at)) {
    if (at + 1 == t->now.end && !rec_grow_slots(t)) return 0;
    at = ++t->now.top;
    at->frame = at[-1].frame;
    at->returns = 0;
  }
  at->context = call->entered;
  at->call = call;
  return number_of(t, at);
}

/* --- calls ------------------------------------------------------------------ */

/* Finds the call by the function of a slot; by `caller`, if that is its slot. If the line
 * of the call is not known, it is at the start of the function. */
static record *find_call(thread *t, const slot *at, const gprof_lua_frame *caller,
                         uint64_t from, uint64_t self) {
  const bool is_caller = caller->call && number_of(t, at) == caller->slot;
  const record *const by = is_caller ? caller->call : at->call;
  if (from == 0 || !is_caller) from = by->self;
  return rec_call_in(t, by->entered, from, self);
}

bool gprof_lua_enter(gprof_lua_frame *entered, const gprof_lua_frame *caller, bool by_c,
                     uint64_t from, uint64_t self) {
  thread *const t = claim();
  if (!t) return false;
  const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  slot *const at = by_c ? calling_slot(t, caller, frame) : slot_at(t, caller->slot);
  record *const call = find_call(t, at, caller, from, self);
  if (call) add_to(&call->count, 1);
  *entered = (gprof_lua_frame){call, call ? put(t, at, call) : 0};
  rec_release(t);
  return entered->slot != 0;
}

uint32_t gprof_lua_resume(const gprof_lua_frame *resumer) {
  thread *const t = claim();
  if (!t) return 0;
  slot *const at = calling_slot(t, resumer, (uintptr_t)__builtin_frame_address(0));
  const uint32_t number = number_of(t, at) + !rec_is_lua(at);
  rec_release(t);
  return number;
}

/* The slot was removed if a C function has resumed a coroutine, was seen to run after the
 * coroutine had yielded, and has resumed it again. */
uint32_t gprof_lua_return(const gprof_lua_frame *to) {
  thread *const t = claim();
  if (!t) return to->slot;
  slot *at = slot_at(t, to->slot);
  if (!rec_is_lua(at)) {
    const gprof_lua_frame start = {NULL, 0};
    at = calling_slot(t, &start, (uintptr_t)__builtin_frame_address(0));
  }
  const uint32_t number = put(t, at, to->call);
  rec_release(t);
  return number;
}

void gprof_lua_cut(uint32_t number) {
  thread *const t = claim();
  if (!t) return;
  if (number > 0) t->now.top = slot_at(t, number - 1);
  rec_release(t);
}

void gprof_lua_sample(const gprof_lua_frame *function, uint64_t line, uint64_t ticks) {
  thread *const t = claim();
  if (!t) return;
  const record *const call = function->call;
  if (line == 0)
    add_to(&t->inside, ticks);
  else
    rec_add_sample(t, call ? call->entered : &t->roots[ROOT], line, ticks);
  rec_release(t);
}

bool gprof_lua_sample_below(const gprof_lua_frame *caller, uint64_t from, uint64_t self,
                            uint64_t ticks) {
  thread *const t = claim();
  if (!t) return false;
  const slot *const at = slot_at(t, caller->slot);
  const record *const call = find_call(t, at, caller, from, self);
  if (call) rec_add_sample(t, call->entered, self, ticks);
  rec_release(t);
  return call != NULL;
}

void gprof_lua_forget(const gprof_lua_frame *function) {
  thread *const t = claim();
  if (!t) return;
  record *const call = function->call;
  if (call) add_to(&call->count, UINT64_MAX);
  rec_release(t);
}

/* --- begin and end ---------------------------------------------------------- */

static int begin(const gprof_lua_program *program) {
  if (rec_lua.table) return EBUSY;
  if (rec_state != RECORDING) return EAGAIN;
  if (!rec_own) rec_other_table(NULL, (uintptr_t)__builtin_frame_address(0));
  rec_update_modules();
  rec_lua.of = *program;
  rec_lua.interpreter = rec_module_at(program->interpreter);
  rec_lua.hook = rec_module_at(program->hook);
  if (!rec_own || !rec_lua.interpreter || !rec_lua.hook) return ENOMEM;
  if (program->leaves_environment) {
    rec_follow = false;
    rec_leave_environment(environ);
  }
  rec_own->instrumented = true;
  BARRIER();
  rec_lua.table = rec_own;
  return 0;
}

/* Two threads may begin at the same time, each to record its own Lua state. */
int gprof_lua_begin(const gprof_lua_program *program) {
  static bool beginning;
  if (__atomic_exchange_n(&beginning, true, __ATOMIC_ACQUIRE)) return EBUSY;
  const int problem = begin(program);
  __atomic_store_n(&beginning, false, __ATOMIC_RELEASE);
  return problem;
}

/* Removes the Lua slots of a stack, and all slots above them. */
static void remove_slots(window *w) {
  for (slot *s = w->slots + 1; s <= w->top; s++)
    if (rec_is_lua(s)) w->top = s - 1;
}

static void remove_all_slots(thread *t) {
  for (stack *s = t->stacks; s; s = s->next)
    remove_slots(s == t->stack ? &t->now : &s->saved);
}

bool gprof_lua_switch(bool on) {
  thread *const t = claim();
  if (!t) return false;
  if (!on) remove_all_slots(t);
  rec_release(t);
  rec_lua.paused = !on;
  rec_switch(on);
  return !on || rec_state == RECORDING;
}

void gprof_lua_end(void) {
  thread *const t = claim();
  if (t) remove_all_slots(t);
  rec_lua.table = NULL;
  rec_lua.paused = false;
  if (t) rec_release(t);
}
