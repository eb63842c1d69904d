/* SPDX-License-Identifier: GPL-3.0-or-later */
/* field.h -- arithmetic modulo a prime. */
#ifndef FIELD_H
#define FIELD_H

#include <stdint.h>

#define FIELD_PRIME UINT32_C(2147483647) /* 2^31 - 1 */

/* A number from 0 to FIELD_PRIME - 1. */
typedef uint32_t field;

field field_add(field a, field b);
field field_negate(field a);
field field_multiply(field a, field b);

/* The multiplicative inverse of `a`; `a` must not be zero. */
field field_invert(field a);

#endif
