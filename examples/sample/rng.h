/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rng.h -- a random number generator with repeatable results. */
#ifndef RNG_H
#define RNG_H

#include <stdint.h>

struct rng {
    uint64_t state; /* any value but zero */
};

/* Returns a random number from 0 to limit - 1, uniformly distributed. */
uint32_t rng_below(struct rng *rng, uint32_t limit);

/* Returns a number in the same range; smaller ones are more likely. */
uint32_t rng_skewed(struct rng *rng, uint32_t limit);

#endif
