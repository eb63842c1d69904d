/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock that every system has. Its timer expires at each of the kernel's ticks that
 * finds the thread running, and each expiry stands for the time between two ticks. So the
 * first tick of a thread counts as much as any other: short threads get their share in
 * the mean. A thread that wakes in step with the ticks is sampled at the same places.
 */
#include <time.h>

#include "runtime/clocks.h"
#include "runtime/linux.h"

static int start(thread *t) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                           .sigev_signo = rec_tick_signal};
  event._sigev_un._tid = t->id;
  const long failed =
      SYSTEM_CALL(timer_create, thread_clock(t->id), &event, &t->timer, 0);
  t->has_timer = failed == 0;
  if (failed) return (int)-failed;
  const uint64_t tick = rec_kernel_tick();
  const struct itimerspec times = {{(time_t)(tick / SECOND), (long)(tick % SECOND)},
                                   {0, 1}};
  SYSTEM_CALL(timer_settime, t->timer, 0, &times, 0);
  return 0;
}

static void stop(thread *t) {
  if (t->has_timer) SYSTEM_CALL(timer_delete, t->timer, 0, 0, 0);
  t->has_timer = false;
}

static int64_t take(thread *t, const siginfo_t *signal, uintptr_t at) {
  (void)at;
  if (signal->si_code != SI_TIMER) return 0;
  const int more = signal->si_overrun > 0 ? signal->si_overrun : 0;
  return random_ticks(t, (1 + (uint64_t)more) * rec_kernel_tick());
}

const rec_clock rec_timer_clock = {"timer", start, stop, take};
