/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rng.c -- a small random number generator with repeatable results.
 *
 * rand() differs between C libraries. This is xorshift64* (Marsaglia, with
 * Vigna's multiplication of the result): the same everywhere, so the output
 * of this program is the same, too.
 */
#include "rng.h"

uint32_t rng_below(struct rng *rng, uint32_t limit)
{
    uint64_t x = rng->state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    rng->state = x;

    /* The high bits are the most random; scaling them avoids a division. */
    x = (x * UINT64_C(0x2545F4914F6CDD1D)) >> 32;
    return (uint32_t)((x * limit) >> 32);
}

uint32_t rng_skewed(struct rng *rng, uint32_t limit)
{
    return rng_below(rng, rng_below(rng, limit) + 1);
}
