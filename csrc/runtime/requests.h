/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests to the running program: to write its profile, or to pause. A request is a
 * queued signal rec_tick_signal with one of the values below, or the user's signal.
 *
 * The recorder answers in /proc/PID/maps. A page that is mapped under the name
 * "/memfd:gprof-recorder:SIGNAL:ANSWERS:ERROR" states the number of the signal, or 0 if
 * the program has taken it; the number of requests answered so far; and the errno of the
 * last one. 65,536 bytes further, the start of the last context profile that was written
 * on request is mapped, so that its path is known.
 */
#ifndef GPROF_RUNTIME_REQUESTS_H
#define GPROF_RUNTIME_REQUESTS_H

#include <stdbool.h>

#include "runtime/table.h"

/* Values of requests. The upper bits tell them from other values. */
#define REQUESTS 0x67700000
enum { REQUEST_WRITE, REQUEST_ANEW, REQUEST_PAUSE, REQUEST_RESUME };

/* The user's signal; 0 if there is none. */
HIDDEN extern int rec_user_signal;

/* Starts to accept requests. `number` is the user's signal, or 0 for none. `anew`
 * states whether each request made with this signal begins a new profile. */
void rec_start_requests(int number, bool anew);

/* Notes that rec_tick_signal has become 0. */
void rec_end_requests(void);

/* Leaves the user's signal to the program, and reports that. */
void rec_end_user_signal(void);

/* Forgets the requests to the parent, in a forked child. */
void rec_forget_requests(void);

/* Accepts a request in a signal handler. Ignores other values. */
void rec_request(int value);

#endif
