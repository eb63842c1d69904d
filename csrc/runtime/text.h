/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds names and messages without the C library, whose formatted output uses
 * thread-local storage and is not safe in signal handlers.
 */
#ifndef GPROF_RUNTIME_TEXT_H
#define GPROF_RUNTIME_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* The character that "%2C" (a comma) or "%25" (a percent sign) stands for; zero if the
 * text begins with neither. Commas separate the recorder's options. */
static inline char encoded_at(const char *at) {
  if (strncmp(at, "%2C", 3) == 0) return ',';
  return strncmp(at, "%25", 3) == 0 ? '%' : '\0';
}

static inline void add_decoded(text *t, const char *more) {
  while (*more != '\0') {
    const char encoded = encoded_at(more);
    add_bytes(t, encoded ? &encoded : more, 1);
    more += encoded ? 3 : 1;
  }
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
