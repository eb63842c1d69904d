/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-line error messages. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

void gp_mask_control(char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) text[i] = '?';
}

bool gp_fail(gp_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  size_t most = sizeof error->text - 1;
  gp_mask_control(error->text, (size_t)length < most ? (size_t)length : most);
  return false;
}
