/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock for systems that allow no events. The recorder's own thread (background.c)
 * wakes at random times, which do not depend on the program. It sends a signal to each
 * thread that runs at this moment: that has used processor time since the last look, and
 * does not wait. The thread's processor clock then corrects the weights of samples, which
 * are too many if the thread competes for a processor.
 */
#include <string.h>
#include <time.h>

#include "runtime/clocks.h"
#include "runtime/linux.h"
#include "runtime/requests.h"
#include "runtime/waiting.h"

/* So many ticks of the thread count as exact when weights are corrected. */
#define EXPECTED 50

/* States of `asked`: no signal is on its way, one is, and none may be sent. */
enum { IDLE, SENT, STOPPED };

bool rec_has_thread_clock;

static int start(thread *t) {
  t->seen = t->looked = 0;
  __atomic_store_n(&t->asked, IDLE, __ATOMIC_RELEASE);
  if (!rec_knows_waiting(t->id)) return ENOENT;
  __atomic_store_n(&rec_has_thread_clock, true, __ATOMIC_RELEASE);
  return rec_need_background();
}

/* Waits for a signal that is on its way, unless this thread blocks it. */
static void stop(thread *t) {
  for (int tries = 0; tries < 1000; tries++) {
    uint32_t idle = IDLE;
    if (__atomic_compare_exchange_n(&t->asked, &idle, STOPPED, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return;
    if (idle == STOPPED || __atomic_load_n(&t->ended, __ATOMIC_ACQUIRE)) return;
    SYSTEM_CALL(sched_yield, 0, 0, 0, 0);
  }
}

/* Returns the ticks that a look stands for; 0 if the signal is not from one. */
static uint64_t weight_of(const siginfo_t *signal) {
  const unsigned value = (unsigned)signal->si_value.sival_int;
  const bool is_asked = signal->si_code == SI_QUEUE && value >> 16 == REC_LOOK >> 16;
  return is_asked ? value & 0xffff : 0;
}

void rec_note_sample(thread *t, const siginfo_t *signal) {
  uint32_t sent = SENT;
  if (weight_of(signal))
    __atomic_compare_exchange_n(&t->asked, &sent, IDLE, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
}

static int64_t take(thread *t, const siginfo_t *signal, uintptr_t at) {
  (void)at;
  const uint64_t weight = weight_of(signal);
  if (weight == 0) return 0;
  t->looked += weight;
  const uint64_t used = read_clock(CLOCK_THREAD_CPUTIME_ID) / 1000 * rec_rate / 1000;
  const uint64_t expected = EXPECTED * UINT64_C(1000) * weight;
  rec_note_sample(t, signal);
  return (int64_t)random_ratio(&t->random, weight * (used + expected),
                               t->looked * 1000 + expected);
}

/* Asks a thread to take a sample, unless it has not yet taken the last one. */
static void ask(thread *t, unsigned weight) {
  siginfo_t info;
  uint32_t idle = IDLE;
  memset(&info, 0, sizeof info);
  info.si_signo = rec_tick_signal;
  info.si_code = SI_QUEUE;
  info.si_value.sival_int = (int)(REC_LOOK + weight);
  if (!__atomic_compare_exchange_n(&t->asked, &idle, SENT, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE))
    return;
  const long process = SYSTEM_CALL(getpid, 0, 0, 0, 0);
  if (SYSTEM_CALL(rt_tgsigqueueinfo, process, id_of(t), info.si_signo, &info) < 0)
    __atomic_store_n(&t->asked, IDLE, __ATOMIC_RELEASE);
}

/* Whether a thread has run since the last look. */
static bool has_run(thread *t) {
  const uint64_t now = read_clock(thread_clock(id_of(t))), before = t->seen;
  t->seen = now;
  return now > before;
}

void rec_tick_threads(uint64_t interval) {
  const uint64_t weight = (interval * rec_rate + SECOND / 2) / SECOND;
  if (rec_state != RECORDING || !rec_tick_signal) return;
  for (thread *t = __atomic_load_n(&rec_tables, __ATOMIC_ACQUIRE); t; t = t->next)
    if (t->clock == &rec_thread_clock &&
        __atomic_load_n(&t->cpu, __ATOMIC_ACQUIRE) & RUNNING &&
        __atomic_load_n(&t->asked, __ATOMIC_ACQUIRE) == IDLE && has_run(t) &&
        rec_is_runnable(id_of(t)))
      ask(t, weight == 0 ? 1 : weight > 0xffff ? 0xffff : (unsigned)weight);
}

const rec_clock rec_thread_clock = {"thread", start, stop, take};
