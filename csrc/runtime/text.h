/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds names and messages without the C library, whose formatted output uses
 * thread-local storage and is not safe in signal handlers.
 */
#ifndef GPROF_RUNTIME_TEXT_H
#define GPROF_RUNTIME_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The free part of a buffer. The text always ends with a zero byte. Text that does not
 * fit is cut off. */
typedef struct text {
  char *at, *end;
} text;

static inline text begin_text(char *buffer, size_t size) {
  *buffer = '\0';
  return (text){buffer, buffer + size - 1};
}

static inline void add_text(text *t, const char *more) {
  while (*more != '\0' && t->at < t->end) *t->at++ = *more++;
  *t->at = '\0';
}

static inline void add_bytes(text *t, const char *bytes, size_t size) {
  for (; size > 0 && t->at < t->end; size--) *t->at++ = *bytes++;
  *t->at = '\0';
}

static inline void add_number(text *t, uint64_t number) {
  char digits[21], *first = digits + sizeof digits - 1;
  *first = '\0';
  do {
    *--first = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  add_text(t, first);
}

#endif
