/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits the share of the processor time that samples take. */
#include "scripts/recording.h"

/* The program gets this many times the processor time that a sample takes before the next
 * one is taken. */
enum { REST = 4 };

uint64_t scr_time_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* In a child process, whose clock starts again, the difference wraps around: the rest has
 * ended. */
uint64_t scr_rest_left(const scr_recording *r, uint64_t now) {
  const uint64_t past = now - r->rest_begin;
  return past < r->rest ? r->rest - past : 0;
}

void scr_rest(scr_recording *r, uint64_t began) {
  const uint64_t now = scr_time_of(CLOCK_THREAD_CPUTIME_ID);
  r->rest = scr_rest_left(r, now) + (now - began) * REST;
  r->rest_begin = now;
}
