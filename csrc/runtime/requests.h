/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests to the running program: to write its profile, or to pause. A request is a
 * queued signal rec_tick_signal with one of the values below, or the signal that the user
 * chose (option dump-signal).
 *
 * The recorder answers through the names of two mappings, which /proc/PID/maps shows. The
 * first name is "/memfd:gprof-recorder:SIGNAL:ANSWERS:ERROR": the number of the signal,
 * or 0 if the program has taken it; the number of requests answered so far; and the errno
 * of the last one. The second mapping, 65,536 bytes further, is the start of the last
 * context profile that was written on request, so its name is the path of this profile.
 */
#ifndef GPROF_RUNTIME_REQUESTS_H
#define GPROF_RUNTIME_REQUESTS_H

#include <stdbool.h>

#include "runtime/table.h"

/* The values that signals carry. Bits of REQUESTS distinguish requests from other uses of
 * the signal. */
#define REQUESTS 0x67700000
#define REC_LOOK 0x67710000 /* a sample (see clock_thread.c); bits 0 to 15: its weight */
enum { REQUEST_WRITE, REQUEST_ANEW, REQUEST_PAUSE, REQUEST_RESUME, REQUEST_RESTART };

/* The signal that the user chose for requests; 0 if there is none. */
HIDDEN extern int rec_user_signal;

/* Starts to accept requests. `number` is the signal that the user chose, or 0. `anew`
 * states whether each request made with this signal begins a new profile. */
void rec_start_requests(int number, bool anew);

/* Notes that rec_tick_signal has become 0. */
void rec_end_requests(void);

/* Leaves rec_user_signal to the program, and reports that. */
void rec_end_user_signal(void);

/* Forgets the requests to the parent, in a forked child. */
void rec_forget_requests(void);

/* Queues a request to this process, as the signal that the user chose would. */
void rec_queue_request(void);

/* Makes a thread of the program start the recorder's own thread (see background.h), which
 * then has the program's privileges. */
void rec_queue_restart(void);

/* Accepts a request in a signal handler. Ignores values that are not requests. */
void rec_request(int value);

#endif
