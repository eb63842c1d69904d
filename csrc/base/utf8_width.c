/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The width of UTF-8 text on a terminal, and the shortening of long names. */
#include "base/utf8_width.h"

#include <string.h>

static bool is_continuation(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

/* The length of the colour sequence at `text` (ESC [ ... m); 0 if there is none. */
static size_t color_sequence(const char *text, size_t length) {
  if (length < 3 || text[0] != '\33' || text[1] != '[') return 0;
  size_t at = 2;
  while (at < length && strchr("0123456789;", text[at]) && text[at]) at++;
  return at < length && text[at] == 'm' ? at + 1 : 0;
}

size_t gp_utf8_width(const char *text, size_t length) {
  size_t columns = 0;
  for (size_t at = 0; at < length;) {
    size_t skipped = color_sequence(text + at, length - at);
    if (skipped == 0) columns += !is_continuation(text[at]);
    at += skipped ? skipped : 1;
  }
  return columns;
}

/* The offset at which the first `count` characters end. */
static size_t offset_after(const char *text, size_t length, size_t count) {
  size_t at = 0;
  while (at < length && (is_continuation(text[at]) || count-- > 0)) at++;
  return at;
}

bool gp_utf8_cut(const char *text, size_t length, size_t room, size_t mark, gp_cut *cut) {
  size_t columns = 0;
  for (size_t at = 0; at < length; at++) columns += !is_continuation(text[at]);
  if (columns <= room || room < mark + 2) return false;
  size_t tail = (room - mark) / 2, head = room - mark - tail;
  cut->head = offset_after(text, length, head);
  cut->tail = offset_after(text, length, columns - tail);
  return true;
}
