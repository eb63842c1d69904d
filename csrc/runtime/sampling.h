/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples the program: gives each thread a clock (see clocks.h), and adds the ticks that
 * its signals stand for. A tick is one period of the rate.
 */
#ifndef GPROF_RUNTIME_SAMPLING_H
#define GPROF_RUNTIME_SAMPLING_H

#include "runtime/clocks.h"

/* Sets the first clock to try: the option `clock`. */
bool rec_set_clock(const char *name);

/* Chooses a signal other than `other`, and sets its handler, which passes the values of
 * queued signals to `queued`. `background` starts the recorder's own thread. */
void rec_start_sampling(void (*queued)(int value), int (*background)(void), int other);

/* Leaves the signal to the program: stops all clocks, and drops pending signals. */
void rec_end_sampling(void);

/* The program's action for SIGTRAP while events use the signal. */
struct sigaction rec_trap_action(void);

/* Sets this action: the default one, or a handler, which is called for signals that are
 * not samples. False if only the kernel can carry it out. */
bool rec_share_trap(const struct sigaction *action);

/* In a forked child, no other thread sets this action. */
void rec_forget_trap_lock(void);

/* Leaves SIGTRAP to the program: threads go on with another clock. */
void rec_end_events(void);

/* Makes threads with the clock `thread`, which cannot go on, use another one. */
void rec_end_thread_clock(void);

/* Returns the set of signals that sample threads, which no thread may block. */
uint64_t rec_sampling_signals(void);

/* Finds out whether the program has set an action for a signal that samples threads by a
 * system call, which the recorder does not see. */
void rec_check_actions(void);

/* The same of a thread that has blocked such a signal, and has the signals `pending`. */
void rec_check_pending(uint64_t pending);

/* A wait of this thread for a signal, in a function with this frame; 0: none. A signal of
 * the recorder may end the wait, which the program must not see. */
typedef struct signal_wait {
  uintptr_t frame;
  bool is_ended;
} signal_wait;
HIDDEN extern _Thread_local signal_wait rec_signal_wait;

/* Notes that a signal of the recorder has interrupted this thread in a context. */
void rec_note_signal(const void *context);

/* Starts a clock for this thread, and stops it. */
void rec_start_clock(thread *t);
void rec_stop_clock(thread *t);

#endif
