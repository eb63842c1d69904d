/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rng.h -- a small source of repeatable chance. */
#ifndef RNG_H
#define RNG_H

#include <stdint.h>

struct rng {
    uint64_t state; /* any value but zero */
};

/* A number from 0 to limit - 1, each as likely as the next. */
uint32_t rng_below(struct rng *rng, uint32_t limit);

/* The same range, but the smaller a number, the more often it comes out. */
uint32_t rng_skewed(struct rng *rng, uint32_t limit);

#endif
