/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of bench/cluster.lua. Its work depends on its rank, the first argument: it
 * makes 1 + rank % 100 steps. If 25 divides the rank, they take 12 ms more, so that a sample
 * or two fall in them. If the rank is the second argument, they take half a second more. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define OWN __attribute__((noipa))

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A loop in which each step depends on the one before; repeated for `more` seconds. */
OWN static void relax(double more) {
  uint64_t x = 1;
  double end = more > 0 ? cpu_seconds() + more : 0;
  do {
    for (int i = 0; i < 10000; i++) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      __asm__ volatile("" : "+r"(x));
    }
  } while (more > 0 && cpu_seconds() < end);
}

static volatile int cells;
OWN static void exchange(void) { cells++; }

OWN static void step(double more) {
  relax(more);
  exchange();
  exchange();
}

int main(int count, char **arguments) {
  long rank = count > 1 ? strtol(arguments[1], NULL, 10) : 0;
  long slow = count > 2 ? strtol(arguments[2], NULL, 10) : -1;
  long steps = 1 + rank % 100;
  double more = rank == slow ? 0.5 : rank % 25 == 0 ? 0.012 : 0;
  for (long i = 0; i < steps; i++) step(more / (double)steps);
  return 0;
}
