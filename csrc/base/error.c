/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-line error messages. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* Replaces control characters, including NUL, with question marks: a message may quote
 * arbitrary bytes of a file. */
static void replace_control_characters(char *text, int length) {
  int most = (int)sizeof ((gp_error *)0)->text - 1;
  if (length > most) length = most;
  for (int i = 0; i < length; i++)
    if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) text[i] = '?';
}

bool gp_fail(gp_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  replace_control_characters(error->text, length);
  return false;
}

bool gp_fail_memory(gp_error *error) {
  return gp_fail(error, "not enough memory");
}
