/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/options.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/background.h"
#include "runtime/environment.h"
#include "runtime/execute.h"
#include "runtime/file_names.h"
#include "runtime/messages.h"
#include "runtime/sampling.h"
#include "runtime/waiting.h"

options rec_options = {.part = 1};

static const char *given = "";

/* Reads a decimal number; false if the text is not a number between two limits. */
static bool read_number(const char *text, unsigned long least, unsigned long most,
                        unsigned long *number) {
  char *end;
  *number = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '\0' && *number >= least &&
         *number <= most;
}

/* Whether a signal is suitable for requests: it can be handled, reports no fault, and the
 * kernel does not send it for another reason. */
static bool is_suitable(unsigned long number) {
  static const int others[] = {SIGKILL, SIGSTOP, SIGABRT, SIGSEGV, SIGBUS,
                               SIGFPE,  SIGILL,  SIGTRAP, SIGSYS,  SIGCHLD};
  if (number == 32 || number == 33) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (number == (unsigned long)others[i]) return false;
  return true;
}

/* Sets the signal for requests: its number, or its name without SIG. */
static bool set_dump_signal(const char *text) {
  unsigned long number;
  if (!read_number(text, 1, 64, &number))
    for (number = 1; number < 32; number++) {
      const char *name = sigabbrev_np((int)number);
      if (name && strcmp(name, text) == 0) break;
    }
  if (!is_suitable(number)) return false;
  rec_options.dump_signal = (int)number;
  return true;
}

/* Reads the value PROCESS.NUMBER. It is used only if an earlier program in the same
 * process set it; NUMBER is then the number of this program's first profile. */
static bool set_part(const char *text) {
  char *end;
  if (strtol(text, &end, 10) == getpid() && *end == '.')
    rec_options.part = (unsigned)strtoul(end + 1, NULL, 10);
  return true;
}

static bool set_memory(const char *text) {
  unsigned long megabytes;
  if (!read_number(text, 1, 1 << 20, &megabytes)) return false;
  rec_limit = megabytes << 20;
  return true;
}

static bool set_rate(const char *text) {
  unsigned long rate;
  if (!read_number(text, 0, 100000, &rate)) return false;
  rec_rate = (unsigned)rate;
  return true;
}

/* Reads an option; false if it is invalid. */
static bool set_option(char *option) {
  static const struct {
    const char *name;
    bool (*set)(const char *value);
  } settings[] = {
      {"clock", rec_set_clock},           {"dump-signal", set_dump_signal},
      {"dump-file", rec_set_dump_file}, {"memory", set_memory},
      {"output", rec_set_pattern},      {"part", set_part},
      {"rate", set_rate},               {"directory", rec_set_directory},
  };
  char *value = strchr(option, '=');
  if (value) {
    *value++ = '\0';
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
      if (strcmp(option, settings[i].name) == 0) return settings[i].set(value);
  }
  if (!value && strcmp(option, "anew") == 0) return rec_options.anew = true;
  if (!value && strcmp(option, "follow") == 0) return rec_follow = true;
  if (!value && strcmp(option, "no-paths") == 0) return rec_options.no_paths = true;
  if (!value && strcmp(option, "samples") == 0) return rec_options.samples = true;
  if (!value && strcmp(option, "wall") == 0) return rec_wall = true;
  return false;
}

/* Reads the option that begins at `text`, and has `length` bytes. */
static bool read_option(const char *text, size_t length) {
  char option[PATH_MAX + 16];
  if (length >= sizeof option) return false;
  memcpy(option, text, length);
  option[length] = '\0';
  return set_option(option);
}

static void report_option(const char *option, size_t length) {
  char line[PATH_MAX + 128];
  const int shown = length < PATH_MAX ? (int)length : PATH_MAX;
  const int used = snprintf(line, sizeof line,
                            "libgprof-recorder: GPROF_RECORDER: invalid option '%.*s'",
                            shown, option);
  if (used > 0) rec_complain(line, (size_t)used);
}

/* Reads the options in `given`. Reports invalid options if `report` is true. */
static void read_all(bool report) {
  for (const char *text = given; *text != '\0';) {
    const size_t length = strcspn(text, ",");
    if (!read_option(text, length) && report && rec_may_complain())
      report_option(text, length);
    text += length;
    text += *text == ',';
  }
}

void rec_read_options(char **environment) {
  const char *value = rec_variable(environment, "GPROF_RECORDER=");
  if (value) given = value;
  read_all(false);
}

/* Reads the options again, but keeps what the recorder has changed since. */
void rec_report_options(void) {
  const options kept = rec_options;
  read_all(true);
  rec_options = kept;
}
