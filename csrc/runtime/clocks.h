/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clocks: ways to sample a thread, in proportion to its processor time. A clock sends the
 * thread a signal, at times that do not depend on the program.
 *
 * perf    an event of the kernel for each thread, at random periods
 * thread  a thread of the recorder, which wakes at random times
 * timer   a timer on the thread's processor time, which fires at the kernel's ticks
 *
 * sampling.c gives each thread the first of them that the system allows; `thread` only if
 * it was asked for, because its signals interrupt system calls.
 */
#ifndef GPROF_RUNTIME_CLOCKS_H
#define GPROF_RUNTIME_CLOCKS_H

#include <errno.h>
#include <signal.h>

#include "runtime/linux.h"
#include "runtime/table.h"

/* The default sampling rate. If there are no samples, the empty histogram has this rate,
 * so that other profiles can be added to it. */
#define REC_DEFAULT_RATE 1000

HIDDEN extern unsigned rec_rate;   /* ticks per second; 0: no samples */
HIDDEN extern int rec_tick_signal; /* the signal, which also carries requests (see
                                      requests.h); 0 if there is none */
HIDDEN extern int rec_clock_error; /* errno of the last thread that got no clock */
HIDDEN extern uint32_t rec_clock_threads[]; /* how many threads have got each clock */

/* Why samples may be missing: flags of the profile (see context_out.c). */
enum { SIGNAL_TAKEN = 64, SIGNAL_BLOCKED = 128 };
HIDDEN extern uint32_t rec_obstacles;

/* The action of all signals that clocks send. */
HIDDEN extern struct sigaction rec_signal_action;

/* Starts the recorder's own thread, unless it exists; returns 0 or an errno. */
HIDDEN extern int (*rec_need_background)(void);

typedef struct rec_clock {
  const char *name;
  int (*start)(thread *t);  /* starts the clock of this thread; returns 0 or an errno */
  void (*stop)(thread *t);  /* also from other threads */

  /* Returns the ticks that a signal stands for, which interrupted the code at `at`. A
   * negative number: the clock cannot go on, and the signal stands for a tick. */
  int64_t (*take)(thread *t, const siginfo_t *signal, uintptr_t at);
} rec_clock;

/* The order in the context profile. PERF_USER is the clock `perf`, with a timer. */
enum { PERF_CLOCK, THREAD_CLOCK, TIMER_CLOCK, CLOCKS };
enum { PERF_USER = CLOCKS, CLOCKS_IN_FILE };
HIDDEN extern const rec_clock rec_perf_clock, rec_thread_clock, rec_timer_clock;

/* The code of a signal SIGTRAP that an event has sent. */
#define TRAP_BY_EVENT 6

/* Whether events see no system calls. */
bool rec_events_of_user(void);

/* Leaves SIGTRAP, the signal of the clock `perf`, to the program. */
void rec_refuse_events(void);

/* Whether SIGTRAP may be a sample. */
bool rec_uses_events(void);

/* Handles a signal SIGTRAP that is no sample (see fatal.c); NULL: the default action. */
HIDDEN extern void (*rec_real_trap)(int number, siginfo_t *info, void *context);

/* The kernel's tick in nanoseconds. */
uint64_t rec_kernel_tick(void);

/* Looks at the threads that have the clock `thread`. `interval` is the mean time between
 * two looks, in nanoseconds. */
void rec_tick_threads(uint64_t interval);

/* Notes that a signal of the clock `thread` has arrived, also if the clock is being
 * stopped, which waits for the signal. */
void rec_note_sample(thread *t, const siginfo_t *signal);

/* Whether a thread has, or had, the clock `thread`. */
HIDDEN extern bool rec_has_thread_clock;

/* Returns a state for rec_random, which differs for each call and process. */
uint64_t rec_seed(void);

/* Returns a random number less than `limit`. */
uint64_t rec_random(uint64_t *state, uint64_t limit);

/* Returns `numerator / denominator` as a random integer with this mean. */
static inline uint64_t random_ratio(uint64_t *state, uint64_t numerator,
                                    uint64_t denominator) {
  return (numerator + rec_random(state, denominator)) / denominator;
}

/* Returns a time, given in nanoseconds, in ticks: as a random integer with this mean. */
static inline int64_t random_ticks(thread *t, uint64_t time) {
  return (int64_t)random_ratio(&t->random, time * rec_rate, SECOND);
}

#endif
