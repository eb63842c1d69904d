/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/sampling.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/c_library.h"
#include "runtime/clocks.h"
#include "runtime/linux.h"
#include "runtime/lua_ticks.h"
#include "runtime/sampled_paths.h"
#include "runtime/stacks.h"

static const rec_clock *const clocks[CLOCKS] = {&rec_perf_clock, &rec_thread_clock,
                                                &rec_timer_clock};
static unsigned first_clock = PERF_CLOCK;

static void (*take_queued)(int value);

static registers registers_of(const ucontext_t *context) {
#ifdef __x86_64__
  const greg_t *all = context->uc_mcontext.gregs;
  return (registers){(uintptr_t)all[REG_RIP], (uintptr_t)all[REG_RSP],
                     (uintptr_t)all[REG_RBP], 0, false};
#else
  const mcontext_t *all = &context->uc_mcontext;
  return (registers){all->pc, all->sp, all->regs[29], all->regs[30], false};
#endif
}

/* Adds ticks to the context of the interrupted code. The search includes the word below
 * the stack pointer: a frame without locals has its return address at the stack
 * pointer. */
static void add_ticks(thread *t, registers now, uint64_t ticks) {
  const uintptr_t below = now.stack - sizeof below - 1;
  if (now.stack - t->now.low >= t->now.size && !rec_switch_stack(t, now.stack)) {
    rec_add_sample(t, &t->roots[UNKNOWN_STACK], now.at, ticks);
    return;
  }
  bool by_order;
  slot *running = rec_find_slot(t, below, now.frame, &by_order);
  if (rec_take_lua_tick(t, &running, now.at, ticks)) return;
  const bool is_recorded = running != t->now.slots;
  rec_add_sample(t, is_recorded ? running->context : rec_path_of(t, now), now.at, ticks);
}

/* --- clocks ------------------------------------------------------------------ */

bool rec_set_clock(const char *name) {
  for (unsigned i = 0; i < CLOCKS; i++)
    if (strcmp(clocks[i]->name, name) == 0) {
      first_clock = i;
      return true;
    }
  return false;
}

/* Starts a clock, of those from `i` on. */
static void start_clock(thread *t, unsigned i) {
  int error = 0;
  for (; i < CLOCKS; i++) {
    if (i == THREAD_CLOCK && first_clock != THREAD_CLOCK) continue;
    error = clocks[i]->start(t);
    if (error) continue;
    __atomic_store_n(&t->clock, clocks[i], __ATOMIC_RELEASE);
    const unsigned kind = i == PERF_CLOCK && rec_events_of_user() ? PERF_USER : i;
    __atomic_fetch_add(&rec_clock_threads[kind], 1, __ATOMIC_RELAXED);
    return;
  }
  rec_clock_error = error;
}

void rec_start_clock(thread *t) {
  if (!rec_tick_signal || rec_rate == 0) return;
  if (!t->random) t->random = rec_seed();
  start_clock(t, first_clock);
}

void rec_stop_clock(thread *t) {
  /* No sample that is taken meanwhile may start the clock again. */
  const rec_clock *const clock = __atomic_exchange_n(&t->clock, NULL, __ATOMIC_ACQ_REL);
  if (clock) clock->stop(t);
}

/* Gives a thread the next clock, because its own has failed. */
static void replace_clock(thread *t) {
  unsigned i = 0;
  while (i < CLOCKS && clocks[i] != t->clock) i++;
  rec_stop_clock(t);
  start_clock(t, i + 1);
}

/* --- samples ----------------------------------------------------------------- */

/* Returns the ticks that a signal stands for. */
static uint64_t ticks_of(thread *t, const siginfo_t *info, uintptr_t at) {
  const rec_clock *const clock = __atomic_load_n(&t->clock, __ATOMIC_ACQUIRE);
  const int64_t ticks = clock ? clock->take(t, info, at) : 0;
  if (!clock) rec_note_sample(t, info);
  if (ticks < 0) replace_clock(t);
  return ticks < 0 ? 1 : (uint64_t)ticks;
}

/* The recorder's code in a static program. The linker defines both ends of the section,
 * which a shared library lacks: readers tell its samples from those of the program. */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern const char __start_gprof_recorder[] __attribute__((weak, visibility("hidden")));
extern const char __stop_gprof_recorder[] __attribute__((weak, visibility("hidden")));
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static bool is_own_code(uintptr_t at) {
  const uintptr_t start = (uintptr_t)__start_gprof_recorder;
  return at - start < (uintptr_t)__stop_gprof_recorder - start;
}

static void take_sample(thread *t, const siginfo_t *info, const void *context) {
  const registers now = registers_of(context);
  uint64_t ticks = ticks_of(t, info, now.at);
  if (ticks == 0 || rec_state != RECORDING) return;
  if (__atomic_load_n(&t->queued, __ATOMIC_RELAXED))
    ticks += __atomic_exchange_n(&t->queued, 0, __ATOMIC_RELAXED);
  add_to(&t->signals, 1);
  if (rec_is_held(t, now.stack) || is_own_code(now.at)) {
    add_to(&t->inside, ticks);
    return;
  }
  rec_hold(t);
  add_ticks(t, now, ticks);
  rec_release(t);
}

static struct sigaction trap_action;
static bool trap_lock; /* held with signals blocked, so no handler waits for itself */

static uint64_t lock_trap(void) {
  const uint64_t before = block_signals();
  while (__atomic_exchange_n(&trap_lock, true, __ATOMIC_ACQUIRE))
    SYSTEM_CALL(sched_yield, 0, 0, 0, 0);
  return before;
}

static void unlock_trap(uint64_t before) {
  __atomic_store_n(&trap_lock, false, __ATOMIC_RELEASE);
  restore_signals(before);
}

void rec_forget_trap_lock(void) { trap_lock = false; }

struct sigaction rec_trap_action(void) {
  const uint64_t before = lock_trap();
  const struct sigaction action = trap_action;
  unlock_trap(before);
  return action;
}

bool rec_share_trap(const struct sigaction *action) {
  const bool shares =
      action->sa_handler != SIG_IGN && !(action->sa_flags & (int)SA_RESETHAND);
  const uint64_t before = lock_trap();
  trap_action = shares ? *action : (struct sigaction){.sa_handler = SIG_DFL};
  unlock_trap(before);
  return shares;
}

/* Calls the program's handler of SIGTRAP, with the signal mask that the kernel would set.
 * The mask before is restored when the signal's handler returns. */
static void call_trap_handler(const struct sigaction *action, siginfo_t *info,
                              ucontext_t *context) {
  uint64_t mask, more;
  memcpy(&mask, &context->uc_sigmask, sizeof mask);
  memcpy(&more, &action->sa_mask, sizeof more);
  if (!(action->sa_flags & SA_NODEFER)) more |= signal_bit(SIGTRAP);
  restore_signals(mask | more);
  if (action->sa_flags & SA_SIGINFO)
    action->sa_sigaction(SIGTRAP, info, context);
  else
    action->sa_handler(SIGTRAP);
}

/* Does what SIGTRAP does without the recorder. */
static void forward_trap(siginfo_t *info, void *context) {
  const struct sigaction standard = {.sa_handler = SIG_DFL}, action = rec_trap_action();
  if (action.sa_handler != SIG_DFL) {
    call_trap_handler(&action, info, context);
    return;
  }
  if (rec_real_trap) {
    rec_real_trap(SIGTRAP, info, context);
    return;
  }
  __sigaction(SIGTRAP, &standard, NULL);
  send_again(SIGTRAP, info);
}

_Thread_local signal_wait rec_signal_wait __attribute__((tls_model("initial-exec")));

/* The largest distance, in bytes, from the frame of the function that waits to the stack
 * pointer of the system call. A handler is further away: the kernel saves all registers
 * above its frame. */
#define WAIT_SIZE 1024

void rec_note_signal(const void *context) {
  const uintptr_t distance = rec_signal_wait.frame - registers_of(context).stack;
  if (distance < WAIT_SIZE) rec_signal_wait.is_ended = true;
}

static void take_signal(int number, siginfo_t *info, void *context) {
  if (number == SIGTRAP && info->si_code != TRAP_BY_EVENT) {
    forward_trap(info, context);
    return;
  }
  rec_note_signal(context);
  if (info->si_code == SI_QUEUE) take_queued(info->si_value.sival_int);
  if (rec_own && rec_tick_signal) take_sample(rec_own, info, context);
}

uint64_t rec_sampling_signals(void) {
  return signal_bit(rec_tick_signal) | (rec_uses_events() ? signal_bit(SIGTRAP) : 0);
}

static bool is_taken(int number) {
  struct sigaction present;
  return __sigaction(number, NULL, &present) == 0 &&
         present.sa_sigaction != rec_signal_action.sa_sigaction;
}

void rec_check_actions(void) {
  if ((rec_tick_signal && is_taken(rec_tick_signal)) ||
      (rec_uses_events() && is_taken(SIGTRAP)))
    rec_obstacles |= SIGNAL_TAKEN;
}

void rec_check_pending(uint64_t pending) {
  if (pending & rec_sampling_signals()) rec_obstacles |= SIGNAL_BLOCKED;
}

static void replace_clocks(const rec_clock *old) {
  for (thread *t = __atomic_load_n(&rec_tables, __ATOMIC_ACQUIRE); t; t = t->next)
    if (t->clock == old) replace_clock(t);
}

void rec_end_events(void) {
  rec_refuse_events();
  replace_clocks(&rec_perf_clock);
}

void rec_end_thread_clock(void) {
  replace_clocks(&rec_thread_clock);
  __atomic_store_n(&rec_has_thread_clock, false, __ATOMIC_RELEASE);
}

void rec_start_sampling(void (*queued)(int value), int (*background)(void), int other) {
  take_queued = queued;
  rec_need_background = background;
  struct sigaction present, action = {.sa_sigaction = take_signal,
                                      .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  rec_signal_action = action;
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--) {
    if (number == other || __sigaction(number, NULL, &present) != 0 ||
        present.sa_handler != SIG_DFL)
      continue;
    if (__sigaction(number, &action, NULL) != 0) continue;
    rec_tick_signal = number;
    return;
  }
}

void rec_end_sampling(void) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  const int number = rec_tick_signal;
  rec_tick_signal = 0;
  rec_obstacles |= SIGNAL_TAKEN;
  for (thread *t = __atomic_load_n(&rec_tables, __ATOMIC_ACQUIRE); t; t = t->next)
    rec_stop_clock(t);
  __sigaction(number, &ignore, NULL);
}
