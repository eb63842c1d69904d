/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/clocks.h"

#include <sys/auxv.h>
#include <time.h>

#include "runtime/linux.h"

unsigned rec_rate = REC_DEFAULT_RATE;
int rec_tick_signal;
int rec_clock_error;
uint32_t rec_clock_threads[CLOCKS_IN_FILE];
uint32_t rec_obstacles;
struct sigaction rec_signal_action;
int (*rec_need_background)(void);
void (*rec_real_trap)(int number, siginfo_t *info, void *context);

uint64_t rec_kernel_tick(void) {
  static uint64_t tick;
  struct {
    int64_t seconds, nanoseconds;
  } resolution = {0, 4000000};
  if (tick) return tick;
  SYSTEM_CALL(clock_getres, CLOCK_MONOTONIC_COARSE, &resolution, 0, 0);
  return tick = (uint64_t)resolution.seconds * SECOND + (uint64_t)resolution.nanoseconds;
}

/* The generator splitmix64. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

uint64_t rec_random(uint64_t *state, uint64_t limit) {
  return (uint64_t)((unsigned __int128)next_random(state) * limit >> 64);
}

uint64_t rec_seed(void) {
  uint64_t seed = read_clock(CLOCK_MONOTONIC);
  seed ^= (uint64_t)SYSTEM_CALL(gettid, 0, 0, 0, 0) << 40;
  const uint64_t *const kernels = (const uint64_t *)getauxval(AT_RANDOM);
  if (kernels) seed ^= kernels[1];
  return next_random(&seed);
}
