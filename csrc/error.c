/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What went wrong, in one line. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool gp_fail(gp_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return false;
}

bool gp_fail_memory(gp_error *error) {
  return gp_fail(error, "not enough memory");
}
