/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiled program: finds primes by division and by a sieve. */
#include "program.h"

#define LIMIT 2000
#define NOINLINE __attribute__((noinline))

static volatile unsigned found;

static NOINLINE bool divides(unsigned d, unsigned n) { return n % d == 0; }

static NOINLINE bool is_prime(unsigned n) {
  for (unsigned d = 2; d * d <= n; d++)
    if (divides(d, n)) return false;
  return n > 1;
}

static NOINLINE void by_division(void) {
  for (unsigned n = 0; n < LIMIT; n++)
    if (is_prime(n)) found++;
}

static NOINLINE void cross_out(bool *composite, unsigned prime) {
  for (unsigned n = prime * prime; n < LIMIT; n += prime) composite[n] = true;
}

static NOINLINE void by_sieve(void) {
  static bool composite[LIMIT];
  for (unsigned n = 0; n < LIMIT; n++) composite[n] = false;
  for (unsigned n = 2; n < LIMIT; n++) {
    if (composite[n]) continue;
    found++;
    if (n * n < LIMIT) cross_out(composite, n);
  }
}

unsigned program(void) {
  for (int i = 0; i < 20; i++) {
    by_division();
    by_sieve();
  }
  return found;
}
