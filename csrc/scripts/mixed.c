/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/mixed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/recorder.h"

#pragma weak gprof_lua_begin
#pragma weak gprof_lua_end
#pragma weak gprof_lua_enter
#pragma weak gprof_lua_switch
#pragma weak gprof_lua_resume
#pragma weak gprof_lua_return
#pragma weak gprof_lua_cut
#pragma weak gprof_lua_forget
#pragma weak gprof_lua_sample
#pragma weak gprof_lua_sample_below
#pragma weak gprof_recorder_suspend
#pragma weak gprof_recorder_settle
#pragma weak gprof_recorder_resume

/* --- calls ----------------------------------------------------------------------- */

/* Returns a frame of the stack. Those that were there when the coroutine was resumed
 * share a slot. */
static gprof_lua_frame frame_at(const scr_stack *stack, size_t i) {
  const scr_frame *frame = &stack->frames[i];
  return (gprof_lua_frame){frame->record,
                           i < stack->resumed ? stack->c.slot : frame->slot};
}

static gprof_lua_frame innermost(const scr_stack *stack) {
  return stack->count > 0 ? frame_at(stack, stack->count - 1) : stack->c;
}

/* Removes the innermost frames until `count` are left, and their slots. */
static void shrink(scr_stack *stack, size_t count) {
  const uint32_t slot = frame_at(stack, count).slot;
  stack->count = count;
  if (stack->resumed > count) stack->resumed = count;
  if (slot > innermost(stack).slot) gprof_lua_cut(slot);
}

void scr_mixed_cut(scr_stack *stack, const void *call) {
  size_t count = stack->count;
  while (count > 0 && stack->frames[count - 1].call != call) count--;
  if (count < stack->count) shrink(stack, count);
}

/* Gives the innermost frames that share a slot another one. */
static void move_frames(scr_stack *stack, uint32_t from, uint32_t to) {
  for (size_t i = stack->count; i > 0 && frame_at(stack, i - 1).slot == from; i--) {
    if (i <= stack->resumed) {
      stack->c.slot = to;
      return;
    }
    stack->frames[i - 1].slot = to & INT32_MAX;
  }
}

void scr_mixed_return(scr_stack *stack) {
  if (stack->count == 0) return;
  const uint32_t slot = innermost(stack).slot;
  shrink(stack, stack->count - 1);
  const gprof_lua_frame caller = innermost(stack);
  if (stack->count == 0 || slot != caller.slot) return;
  const uint32_t now = gprof_lua_return(&caller);
  if (now != slot) move_frames(stack, slot, now);
}

/* Returns the address of a line of the innermost function; 0 if there is none. */
static uint64_t line_address(const scr_stack *stack, uint32_t line) {
  if (stack->count == 0) return 0;
  return gprof_lua_address(stack->frames[stack->count - 1].context, line);
}

/* Adds a frame; false if there is no memory. */
static bool push(scr_stack *stack, const void *call, uint32_t function,
                 gprof_lua_frame entered) {
  if (!scr_stack_push(stack, call, function)) return false;
  scr_frame *frame = &stack->frames[stack->count - 1];
  frame->slot = entered.slot & INT32_MAX;
  frame->record = entered.call;
  return true;
}

bool scr_mixed_call(scr_stack *stack, const lua_Debug *ar, uint32_t function,
                    uint32_t line) {
  const gprof_lua_frame caller = innermost(stack);
  const bool is_tail = ar->event == LUA_HOOKTAILCALL && stack->count > 0;
  gprof_lua_frame entered;
  if (!gprof_lua_enter(&entered, &caller, line == 0 && !is_tail,
                       line_address(stack, line), gprof_lua_address(function, 0)))
    return false;
  if (is_tail)
    stack->count--;
  else if (stack->resumed > stack->count)
    stack->resumed = stack->count;
  return push(stack, ar->i_ci, function, entered);
}

bool scr_mixed_put(scr_stack *stack, const void *call, uint32_t function, uint32_t line) {
  const gprof_lua_frame caller = innermost(stack);
  gprof_lua_frame entered;
  if (!gprof_lua_enter(&entered, &caller, false, line_address(stack, line),
                       gprof_lua_address(function, 0)))
    return false;
  gprof_lua_forget(&entered);
  return push(stack, call, function, entered);
}

void scr_mixed_base(scr_stack *stack, const scr_stack *former) {
  const gprof_lua_frame start = {former->c.call, 0};
  stack->c = (gprof_lua_frame){start.call, gprof_lua_resume(&start)};
  stack->active = true;
}

bool scr_mixed_share(scr_stack *stack, const void *call) {
  return push(stack, call, scr_stack_context(stack), innermost(stack));
}

void scr_mixed_forget(const scr_stack *stack) {
  const gprof_lua_frame running = innermost(stack);
  gprof_lua_forget(&running);
}

void scr_mixed_ticks(const scr_stack *stack, uint32_t line, uint64_t ticks) {
  const gprof_lua_frame running = innermost(stack);
  gprof_lua_sample(&running, line_address(stack, line), ticks);
}

bool scr_mixed_below(const scr_stack *stack, uint32_t function, uint32_t line,
                     uint64_t ticks) {
  const gprof_lua_frame running = innermost(stack);
  return gprof_lua_sample_below(&running, line_address(stack, line),
                                gprof_lua_address(function, 0), ticks);
}

/* --- coroutines ------------------------------------------------------------------ */

scr_stack *scr_mixed_start(scr_stacks *stacks, const void *thread) {
  scr_stack *stack = scr_stack_of(stacks, thread, 0);
  if (stack) stack->active = true;
  return stack;
}

/* Ends the coroutines that `stack` has resumed, from `before` on, which has yielded or
 * ended. */
static void end_resumed(const scr_stacks *stacks, const void *before,
                        const scr_stack *stack) {
  uint32_t slot = 0;
  while (before && before != stack->thread) {
    scr_stack *ended = scr_stack_find(stacks, before);
    if (!ended) break;
    slot = ended->c.slot;
    before = ended->resumer;
    ended->active = false;
    ended->resumer = NULL;
  }
  if (slot > innermost(stack).slot) gprof_lua_cut(slot);
}

static void resume(scr_stack *stack, const scr_stack *resumer, bool is_new) {
  const gprof_lua_frame by = innermost(resumer);
  if (is_new) {
    stack->count = 0;
    stack->c.call = by.call;
  }
  stack->c.slot = gprof_lua_resume(&by);
  stack->resumed = stack->count;
  stack->active = true;
  stack->resumer = resumer->thread;
}

scr_stack *scr_mixed_switch(scr_stacks *stacks, const void *before, const void *thread,
                            bool is_main, bool is_new) {
  scr_stack *stack = scr_stack_of(stacks, thread, 0);
  const scr_stack *former = stack ? scr_stack_of(stacks, before, 0) : NULL;
  if (!former) return NULL;
  stack = scr_stack_of(stacks, thread, 0);
  if (is_main || (stack->active && !is_new)) {
    end_resumed(stacks, before, stack);
    stack->active = true;
  } else {
    resume(stack, former, is_new || !stack->c.call);
  }
  return stack;
}

/* --- begin and end --------------------------------------------------------------- */

const char *scr_mixed_begin(scr_recording *r, gprof_lua_tick *tick,
                            bool is_program) {
  if (!gprof_lua_begin)
    return "libgprof-recorder.so is not loaded into this interpreter; is it static?";
  const gprof_lua_program program = {.interpreter = (uintptr_t)lua_sethook,
                                     .hook = (uintptr_t)tick,
                                     .in_hook = &r->in_hook,
                                     .leaves_environment = is_program,
                                     .tick = tick};
  const int problem = gprof_lua_begin(&program);
  r->with_c = problem == 0;
  if (problem == EBUSY) return "another Lua state of this process is being recorded";
  if (problem == ENOMEM) return "not enough memory";
  return problem ? "libgprof-recorder.so does not record" : NULL;
}

/* Reads a file of which nothing has been read. */
static void read_profile(scr_recording *r, int file) {
  struct stat about;
  free(r->profile);
  r->profile = NULL;
  r->profile_size = 0;
  if (fstat(file, &about) != 0) return;
  r->profile = malloc((size_t)about.st_size);
  if (r->profile && pread(file, r->profile, (size_t)about.st_size, 0) == about.st_size)
    r->profile_size = (size_t)about.st_size;
}

/* Takes the profile of the process. If `drop`, the next one begins without its counts. */
static void take_profile(scr_recording *r, bool drop) {
  const int gmon = memfd_create("gmon.out", MFD_CLOEXEC);
  const int contexts = memfd_create("gmon.out.ctx", MFD_CLOEXEC);
  const bool taken =
      gmon >= 0 && contexts >= 0 && gprof_recorder_suspend(gmon, contexts) == 0;
  if (taken) read_profile(r, contexts);
  gprof_recorder_settle(taken && drop);
  if (gmon >= 0) close(gmon);
  if (contexts >= 0) close(contexts);
}

void scr_mixed_abandon(void) { gprof_lua_end(); }

void scr_mixed_end(scr_recording *r, bool goes_on) {
  if (r->is_paused) gprof_lua_switch(true);
  r->is_paused = false;
  gprof_lua_end();
  take_profile(r, true);
  if (goes_on) gprof_recorder_resume();
}

void scr_mixed_pause(scr_recording *r) {
  gprof_lua_switch(false);
  r->is_paused = true;
}

const char *scr_mixed_resume(scr_recording *r) {
  r->is_paused = false;
  return gprof_lua_switch(true) ? NULL : "libgprof-recorder.so does not record";
}

void scr_mixed_take(scr_recording *r) { take_profile(r, false); }
