/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers as short text, for data in a page. */
#include "base/packed_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compact_number.h"

/* Digits below BASE end a number. */
enum { BASE = 45 };

static const char digits[] =
    " !#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
    "abcdefghijklmnopqrstuvwxyz{|}~";

/* Special first characters of numbers that are not integers. */
enum { ZERO, NOTHING, SCALED };

/* The largest power of ten that a first character can have. */
enum { MOST_PLACES = (2 * BASE - 1 - SCALED - 1) / 2 };

static size_t pack_natural(char *out, uint64_t number) {
  size_t length = 0;
  for (; number >= BASE; number /= BASE) out[length++] = digits[BASE + number % BASE];
  out[length++] = digits[number];
  return length;
}

size_t gp_pack_integer(char out[GP_PACKED_SIZE], int64_t number) {
  uint64_t twice = (uint64_t)number << 1;
  return pack_natural(out, number < 0 ? ~twice : twice);
}

/* Reads the digits of a number, and how many of them are after the decimal point. Returns
 * what follows. */
static const char *read_digits(const char *p, uint64_t *natural, int *places) {
  bool is_fraction = false;
  for (*natural = 0, *places = 0;; p++) {
    if (*p == '.') {
      is_fraction = true;
    } else if (*p >= '0' && *p <= '9') {
      *natural = *natural * 10 + (uint64_t)(*p - '0');
      *places += is_fraction;
    } else {
      return p;
    }
  }
}

size_t gp_pack_number(char out[GP_PACKED_SIZE], double number) {
  char text[GP_COMPACT_NUMBER_SIZE + 1];
  uint64_t natural;
  int places;
  if (number == 0 || !isfinite(number)) {
    out[0] = digits[number == 0 ? ZERO : NOTHING];
    return 1;
  }
  if (fabs(number) > GP_LARGEST_WHOLE) return 0;
  text[gp_compact_number(text, number)] = '\0';
  bool negative = text[0] == '-';
  const char *rest = read_digits(text + negative, &natural, &places);
  if (*rest == 'e') places -= (int)strtol(rest + 1, NULL, 10);
  if (places < 0 || places > MOST_PLACES || (double)natural > GP_LARGEST_WHOLE) return 0;
  out[0] = digits[SCALED + 2 * places + negative];
  return 1 + pack_natural(out + 1, natural);
}
