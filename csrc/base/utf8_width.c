/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on a terminal. */
#include "base/utf8_width.h"

#include <string.h>

/* Whether a byte is one of a character that has begun before it. */
static bool goes_on(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

/* The length of the sequence for a colour at `text`, ESC [ ... m; 0 if there is none. */
static size_t sequence(const char *text, size_t length) {
  if (length < 3 || text[0] != '\33' || text[1] != '[') return 0;
  size_t at = 2;
  while (at < length && strchr("0123456789;", text[at]) && text[at]) at++;
  return at < length && text[at] == 'm' ? at + 1 : 0;
}

size_t gp_utf8_width(const char *text, size_t length) {
  size_t columns = 0;
  for (size_t at = 0; at < length;) {
    size_t skipped = sequence(text + at, length - at);
    if (skipped == 0) columns += !goes_on(text[at]);
    at += skipped ? skipped : 1;
  }
  return columns;
}

/* Where the character after the first `count` begins. */
static size_t behind(const char *text, size_t length, size_t count) {
  size_t at = 0;
  while (at < length && (goes_on(text[at]) || count-- > 0)) at++;
  return at;
}

bool gp_utf8_cut(const char *text, size_t length, size_t room, size_t mark, gp_cut *cut) {
  size_t columns = 0;
  for (size_t at = 0; at < length; at++) columns += !goes_on(text[at]);
  if (columns <= room || room < mark + 2) return false;
  size_t tail = (room - mark) / 2, head = room - mark - tail;
  cut->head = behind(text, length, head);
  cut->tail = behind(text, length, columns - tail);
  return true;
}
