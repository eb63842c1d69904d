/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples the program. Each thread has a timer on its processor time, which sends the
 * thread a real-time signal. The kernel may deliver fewer signals than asked for. A
 * signal then stands for several ticks.
 */
#ifndef GPROF_RUNTIME_SAMPLING_H
#define GPROF_RUNTIME_SAMPLING_H

#include "runtime/table.h"

/* The default sampling rate. If there are no samples, the empty histogram has this rate,
 * so that other profiles can be added to it. */
#define REC_DEFAULT_RATE 1000

HIDDEN extern unsigned rec_rate;   /* ticks per second; 0: no samples */
HIDDEN extern int rec_tick_signal; /* the signal, which also carries requests (see
                                      requests.h); 0 if there is none */
HIDDEN extern int rec_timer_error; /* errno of the first timer that could not be made */

/* Chooses a signal other than `other`, and sets its handler, which passes the values of
 * queued signals to `queued`. */
void rec_start_sampling(void (*queued)(int value), int other);

/* Leaves the signal to the program: deletes all timers, and drops pending signals. */
void rec_end_sampling(void);

void rec_start_timer(thread *t);
void rec_stop_timer(thread *t);

#endif
