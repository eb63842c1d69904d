/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

/* Returns the number of primes found; each prime is found 40 times. */
unsigned program(void);

#endif
