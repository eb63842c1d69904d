/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/sampling.h"

#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/c_library.h"
#include "runtime/linux.h"
#include "runtime/lua_ticks.h"
#include "runtime/stacks.h"

unsigned rec_rate = REC_DEFAULT_RATE;
int rec_tick_signal;
int rec_timer_error;

static void (*take_queued)(int value);

typedef struct registers {
  uintptr_t at, stack, frame;
} registers;

static registers registers_of(const ucontext_t *context) {
#ifdef __x86_64__
  const greg_t *all = context->uc_mcontext.gregs;
  return (registers){(uintptr_t)all[REG_RIP], (uintptr_t)all[REG_RSP],
                     (uintptr_t)all[REG_RBP]};
#else
  const mcontext_t *all = &context->uc_mcontext;
  return (registers){all->pc, all->sp, all->regs[29]};
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
  if (!rec_take_lua_tick(t, &running, now.at, ticks))
    rec_add_sample(t, running->context, now.at, ticks);
}

static void take_sample(int number, siginfo_t *info, void *context) {
  (void)number;
  if (info->si_code == SI_QUEUE) take_queued(info->si_value.sival_int);
  thread *t = rec_own;
  if (!t || info->si_code != SI_TIMER || rec_state != RECORDING) return;
  uint64_t ticks = 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0);
  if (__atomic_load_n(&t->queued, __ATOMIC_RELAXED))
    ticks += __atomic_exchange_n(&t->queued, 0, __ATOMIC_RELAXED);
  add_to(&t->signals, 1);
  if (t->busy) {
    add_to(&t->inside, ticks);
    return;
  }
  t->busy = true;
  BARRIER();
  add_ticks(t, registers_of(context), ticks);
  BARRIER();
  t->busy = false;
}

void rec_start_sampling(void (*queued)(int value), int other) {
  take_queued = queued;
  struct sigaction present, action = {.sa_sigaction = take_sample,
                                      .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--) {
    if (number == other || __sigaction(number, NULL, &present) != 0 ||
        present.sa_handler != SIG_DFL)
      continue;
    if (__sigaction(number, &action, NULL) != 0) continue;
    rec_tick_signal = number;
    return;
  }
}

void rec_start_timer(thread *t) {
  if (!rec_tick_signal || rec_rate == 0) return;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                           .sigev_signo = rec_tick_signal};
  event._sigev_un._tid = t->id;
  long failed = SYSTEM_CALL(timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &t->timer, 0);
  t->has_timer = failed == 0;
  if (!t->has_timer) {
    rec_timer_error = (int)-failed;
    return;
  }
  const struct timespec period = {rec_rate == 1,
                                  rec_rate == 1 ? 0 : 1000000000 / rec_rate};
  const struct itimerspec times = {period, period};
  SYSTEM_CALL(timer_settime, t->timer, 0, &times, 0);
}

void rec_stop_timer(thread *t) {
  if (t->has_timer) SYSTEM_CALL(timer_delete, t->timer, 0, 0, 0);
  t->has_timer = false;
}

void rec_end_sampling(void) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  const int number = rec_tick_signal;
  rec_tick_signal = 0;
  for (thread *t = __atomic_load_n(&rec_tables, __ATOMIC_ACQUIRE); t; t = t->next)
    rec_stop_timer(t);
  __sigaction(number, &ignore, NULL);
}
