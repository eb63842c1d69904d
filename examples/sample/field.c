/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * field.c -- arithmetic modulo a prime.
 *
 * Random expressions overflow any machine integer.  Modulo a prime nothing
 * overflows, and every division except by zero has an exact answer.
 */
#include "field.h"

/* Exponentiation by squaring: a^(2n) is (a*a)^n. */
static field power(field a, uint32_t exponent)
{
    uint64_t square = a, product = 1;

    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            product = product * square % FIELD_PRIME;
        square = square * square % FIELD_PRIME;
    }
    return (field)product;
}

/* The prime is below 2^31, so a sum of two numbers fits in 32 bits. */
field field_add(field a, field b)
{
    return (a + b) % FIELD_PRIME;
}

field field_negate(field a)
{
    return a == 0 ? 0 : FIELD_PRIME - a;
}

field field_multiply(field a, field b)
{
    return (field)((uint64_t)a * b % FIELD_PRIME);
}

/* Fermat: a^(p-1) is 1, hence a^(p-2) is the inverse of a. */
field field_invert(field a)
{
    return power(a, FIELD_PRIME - 2);
}
