/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock that is exact: an event of the kernel on the thread's running time, which has
 * a high resolution. It sends SIGTRAP when the thread is in its own code, or returns to
 * it: no system call is interrupted.
 *
 * The thread has no descriptor of the event. A mapping keeps the event, so the program
 * can neither close nor count it, and forked children do not inherit it. So the period of
 * an event cannot be changed: a thread has one event after the other, each with a random
 * period. The first has a single sample, at a random time in its period: a thread of any
 * length gets its share in the mean.
 *
 * The kernel may reserve events in system calls for privileged users. Then a timer
 * samples system calls, and the rest of the processor time counts for those it finds.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <time.h>

#include "runtime/c_library.h"
#include "runtime/clocks.h"
#include "runtime/linux.h"

#define PAGE 4096

/* Samples of an event. A new event costs about as much time as 50 samples. */
#define SAMPLES 64

/* The shortest period, in nanoseconds. A sample takes some microseconds. */
#define SHORTEST UINT64_C(50000)

static bool user_only; /* events do not see system calls */
static int refused;    /* the errno with which the system refuses all events; or 0 */
static bool in_use;    /* there was an event, and SIGTRAP was not left to the program */

static long try_event(uint64_t period) {
  const struct perf_event_attr wanted = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof wanted,
                                         .config = PERF_COUNT_SW_TASK_CLOCK,
                                         .sample_period = period,
                                         .disabled = 1,
                                         .exclude_kernel = user_only,
                                         .exclude_hv = 1,
                                         .remove_on_exec = 1,
                                         .sigtrap = 1};
  return system_call(SYS_perf_event_open, (long)&wanted, 0, -1, -1,
                     PERF_FLAG_FD_CLOEXEC, 0);
}

static bool is_forbidden(long error) { return error == -EACCES || error == -EPERM; }

static bool is_temporary(long error) {
  return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

static long open_event(uint64_t period) {
  long file = try_event(period);
  if (is_forbidden(file) && !user_only) {
    user_only = true;
    file = try_event(period);
  }
  if (file < 0 && !is_temporary(file)) refused = (int)-file;
  return file;
}

static void release(uintptr_t *event) {
  const uintptr_t page = __atomic_exchange_n(event, 0, __ATOMIC_SEQ_CST);
  if (page) SYSTEM_CALL(munmap, page, PAGE, 0, 0);
}

/* Makes the event, for one sample or for many. Returns 0 or an errno. */
static int make_event(thread *t, uint64_t period, bool single) {
  const long file = open_event(period);
  if (file < 0) return (int)-file;
  const long page = system_call(SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, file, 0);
  const bool has_page = page >= 0 || page <= -PAGE;
  if (has_page) {
    __atomic_store_n(&t->event, page, __ATOMIC_SEQ_CST);
    SYSTEM_CALL(ioctl, file, single ? PERF_EVENT_IOC_REFRESH : PERF_EVENT_IOC_ENABLE, 1,
                0);
    in_use = true;
  }
  SYSTEM_CALL(close, file, 0, 0, 0);
  t->left = single ? 1 : SAMPLES;
  t->due = read_clock(CLOCK_THREAD_CPUTIME_ID) + period;
  if (refused == EBUSY) { /* the program has taken SIGTRAP meanwhile */
    in_use = false;
    release(&t->event);
  }
  return has_page ? 0 : (int)-page;
}

static void stop(thread *t) {
  release(&t->event);
  release(&t->first_event);
  rec_timer_clock.stop(t);
}

/* Draws a period whose mean is a tick. */
static void draw_period(thread *t) {
  const uint64_t mean = SECOND / rec_rate;
  const uint64_t period = mean / 2 + rec_random(&t->random, mean + 1);
  t->period = period > SHORTEST ? period : SHORTEST;
}

/* Handles SIGTRAP, unless the program does. */
static bool catch_trap(void) {
  struct sigaction present;
  if (__sigaction(SIGTRAP, NULL, &present) != 0) return false;
  if (present.sa_sigaction == rec_signal_action.sa_sigaction) return true;
  return present.sa_handler == SIG_DFL &&
         __sigaction(SIGTRAP, &rec_signal_action, NULL) == 0;
}

static int start(thread *t) {
  if (!refused && !catch_trap()) refused = EBUSY;
  if (refused) return refused;
  draw_period(t);
  t->is_new = true;
  t->counted = read_clock(CLOCK_THREAD_CPUTIME_ID);
  const int error = make_event(t, 1 + rec_random(&t->random, t->period), true);
  if (error)
    stop(t);
  else if (user_only)
    (void)rec_timer_clock.start(t);
  return error;
}

/* Makes the next event. Releasing the first one would take longer than many a thread
 * lives. */
static bool replace_event(thread *t) {
  if (t->is_new) {
    t->first_event = __atomic_exchange_n(&t->event, 0, __ATOMIC_SEQ_CST);
    t->is_new = false;
  } else {
    release(&t->event);
    draw_period(t);
  }
  return make_event(t, t->period, false) == 0;
}

/* Whether the code before an address is a system call. */
static bool follows_system_call(uintptr_t at) {
#ifdef __x86_64__
  const unsigned char *code = (const unsigned char *)at;
  return at % PAGE >= 2 && code[-2] == 0x0f && code[-1] == 0x05;
#else
  return at % PAGE >= 4 && ((const uint32_t *)at)[-1] == 0xd4000001;
#endif
}

/* Adds time that a sample stands for. Returns it in ticks. */
static int64_t count(thread *t, uint64_t time) {
  t->counted += time;
  return random_ticks(t, time);
}

/* Takes a sample of the timer: time in system calls that no sample stands for. */
static int64_t take_system_call(thread *t, uintptr_t at) {
  const uint64_t now = read_clock(CLOCK_THREAD_CPUTIME_ID);
  return now > t->counted && follows_system_call(at) ? count(t, now - t->counted) : 0;
}

/* A sample stands for the period of its event, and for the periods that have passed since
 * it was due: in the same system call, which was not interrupted. */
static int64_t take(thread *t, const siginfo_t *signal, uintptr_t at) {
  if (signal->si_code == SI_TIMER) return take_system_call(t, at);
  if (signal->si_signo != SIGTRAP || signal->si_code != TRAP_BY_EVENT) return 0;
  const uint64_t now = read_clock(CLOCK_THREAD_CPUTIME_ID), period = t->period;
  const uint64_t missed = now > t->due ? (now - t->due) / period : 0;
  t->due += (missed + 1) * period;
  const int64_t ticks = count(t, (user_only ? 1 : missed + 1) * period);
  if (t->left > missed + 1)
    t->left -= missed + 1;
  else if (!replace_event(t))
    return -1;
  return ticks;
}

bool rec_events_of_user(void) { return user_only; }

void rec_refuse_events(void) {
  refused = EBUSY;
  in_use = false;
}

bool rec_uses_events(void) { return in_use; }

const rec_clock rec_perf_clock = {"perf", start, stop, take};
