/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options and names of files. */
#include "mpi/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define DEFAULT_TIMEOUT 600.0
#define MAX_TIMEOUT 1e6

static bool is_pattern(const char *pattern) {
  for (const char *at = pattern; (at = strchr(at, '%')); at += 2)
    if (at[1] == '\0' || !strchr("ehpr%", at[1])) return false;
  return *pattern != '\0';
}

/* Reads a decimal number. strtod depends on the locale that the program has chosen. */
static bool read_seconds(const char *text, double *seconds) {
  double unit = 1;
  bool has_digit = false, has_point = false;
  *seconds = 0;
  for (; *text != '\0'; text++) {
    bool is_digit = *text >= '0' && *text <= '9';
    if (!is_digit && (*text != '.' || has_point)) return false;
    if (is_digit && has_point)
      *seconds += (unit /= 10) * (*text - '0');
    else if (is_digit)
      *seconds = 10 * *seconds + (*text - '0');
    has_digit = has_digit || is_digit;
    has_point = has_point || !is_digit;
  }
  return has_digit;
}

static bool set_timeout(gp_settings *settings, const char *text) {
  double seconds;
  if (!read_seconds(text, &seconds) || !(seconds > 0 && seconds <= MAX_TIMEOUT))
    return false;
  settings->timeout = seconds;
  return true;
}

static bool set(gp_settings *settings, const char *option) {
  if (strncmp(option, "timeout=", 8) == 0) return set_timeout(settings, option + 8);
  if (strncmp(option, "output=", 7) == 0 && is_pattern(option + 7)) {
    snprintf(settings->output, sizeof settings->output, "%s", option + 7);
    return true;
  }
  if (strcmp(option, "parts") == 0) return settings->parts = true;
  return false;
}

/* A message has no control characters: see gp_fail. */
static void report_option(const char *option, size_t length) {
  gp_error error;
  gp_fail(&error, "GPROF_MPI: invalid option '%.*s'",
          length < PATH_MAX ? (int)length : PATH_MAX, option);
  fprintf(stderr, "libgprof-mpi: %s\n", error.text);
}

void gp_settings_read(gp_settings *settings, bool report) {
  const char *text = getenv("GPROF_MPI");
  *settings = (gp_settings){.timeout = DEFAULT_TIMEOUT};
  while (text && *text != '\0') {
    char option[PATH_MAX];
    size_t length = strcspn(text, ",");
    bool fits = length < sizeof option;
    if (fits) {
      memcpy(option, text, length);
      option[length] = '\0';
    }
    if (report && (!fits || !set(settings, option)))
      report_option(text, length);
    else if (!report && fits)
      set(settings, option);
    text += length;
    text += *text == ',';
  }
}

/* --- names ---------------------------------------------------------------------- */

/* A name being built. */
typedef struct built {
  char *name;
  size_t used;
  bool complete;   /* it was not too long */
} built;

static void add(built *to, const char *text, size_t size) {
  to->complete = to->complete && size < PATH_MAX - to->used;
  if (!to->complete) return;
  memcpy(to->name + to->used, text, size);
  to->used += size;
  to->name[to->used] = '\0';
}

static void add_text(built *to, const char *text) { add(to, text, strlen(text)); }

static void add_number(built *to, long number) {
  char text[24];
  snprintf(text, sizeof text, "%ld", number);
  add_text(to, text);
}

static void add_value(built *to, char placeholder, const gp_file_values *values) {
  char host[256] = "";
  switch (placeholder) {
    case 'e': add_text(to, values->program); break;
    case 'h':
      if (gethostname(host, sizeof host - 1) == 0) add_text(to, host);
      break;
    case 'p': add_number(to, getpid()); break;
    case 'r': add_number(to, values->rank); break;
    default: add_text(to, "%"); break;
  }
}

/* Adds the name for a pattern. Returns whether it has the name of the program. */
static bool add_pattern(built *to, const char *pattern, const gp_file_values *values) {
  bool named = false;
  for (const char *at = pattern; *at != '\0'; at++) {
    if (*at != '%') {
      add(to, at, 1);
      continue;
    }
    named = named || at[1] == 'e';
    add_value(to, *++at, values);
  }
  return named;
}

bool gp_settings_name(const gp_settings *settings, const gp_file_values *values,
                      bool distinct, char name[PATH_MAX]) {
  built to = {.name = name, .complete = true};
  const char *prefix = getenv("GMON_OUT_PREFIX");
  bool named = false;
  if (settings->output[0] != '\0') {
    named = add_pattern(&to, settings->output, values);
  } else if (prefix && *prefix != '\0') {
    add_text(&to, prefix);
    add_text(&to, ".sum");
  } else {
    add_text(&to, "gmon.sum");
  }
  if (distinct && !named) {
    add_text(&to, ".");
    add_text(&to, values->program);
  }
  return to.complete;
}
