/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/options.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/environment.h"
#include "runtime/execute.h"
#include "runtime/messages.h"
#include "runtime/sampling.h"

options rec_options = {.part = 1};

static const char *given = "";

/* Reads "NAME=NUMBER" at `text`, up to a comma. Returns whether NAME is `option`. */
static bool read_option(const char *text, const char *option, unsigned long least,
                        unsigned long most, unsigned long *value) {
  const size_t length = strlen(option);
  if (strncmp(text, option, length) != 0 || text[length] != '=') return false;
  const char *digits = text + length + 1;
  char *end;
  const unsigned long number = strtoul(digits, &end, 10);
  if (*digits < '0' || *digits > '9' || (*end != ',' && *end != '\0')) return false;
  if (number < least || number > most) return false;
  *value = number;
  return true;
}

/* Returns the number of a signal: the text is its number, or its name without SIG. 0 if
 * there is no such signal, or if it is unsuitable for requests: it cannot be handled, it
 * reports a fault, or the kernel sends it for another reason. */
static int signal_number(const char *text, size_t length) {
  static const int others[] = {SIGKILL, SIGSTOP, SIGABRT, SIGSEGV, SIGBUS,
                               SIGFPE,  SIGILL,  SIGTRAP, SIGSYS,  SIGCHLD};
  char *end;
  long number = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || end != text + length)
    for (number = 1; number < 32; number++) {
      const char *name = sigabbrev_np((int)number);
      if (name && strlen(name) == length && strncmp(name, text, length) == 0) break;
    }
  if (number < 1 || number > 64 || number == 32 || number == 33) return 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (number == others[i]) return 0;
  return (int)number;
}

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && strncmp(text, word, length) == 0;
}

/* Reads the value PROCESS.NUMBER. It is used only if an earlier program in the same
 * process set it; NUMBER is then the number of this program's first profile. */
static void read_part(const char *text) {
  char *end;
  if (strtol(text, &end, 10) == getpid() && *end == '.')
    rec_options.part = (unsigned)strtoul(end + 1, NULL, 10);
}

/* Reads one option, up to a comma; false if it is invalid. */
static bool set_option(const char *text, size_t length) {
  static const char by_signal[] = "dump-signal=";
  const size_t skipped = sizeof by_signal - 1;
  unsigned long value;
  if (read_option(text, "memory", 1, 1 << 20, &value))
    rec_limit = value << 20;
  else if (read_option(text, "rate", 0, 100000, &value))
    rec_rate = (unsigned)value;
  else if (is_word(text, length, "anew"))
    rec_options.anew = true;
  else if (is_word(text, length, "follow"))
    rec_follow = true;
  else if (strncmp(text, "part=", 5) == 0)
    read_part(text + 5);
  else if (length > skipped && strncmp(text, by_signal, skipped) == 0)
    return (rec_options.dump_signal =
                signal_number(text + skipped, length - skipped)) != 0;
  else
    return false;
  return true;
}

/* Reads the options in `given`. Reports invalid options if `report` is true. */
static void read_all(bool report) {
  for (const char *text = given; *text != '\0';) {
    const size_t length = strcspn(text, ",");
    if (!set_option(text, length) && report && rec_may_complain())
      dprintf(STDERR_FILENO, "libgprof-recorder: GPROF_RECORDER: invalid option '%.*s'\n",
              (int)length, text);
    text += length;
    text += *text == ',';
  }
}

void rec_read_options(char **environment) {
  const char *value = rec_variable(environment, "GPROF_RECORDER=");
  if (value) given = value;
  read_all(false);
}

void rec_report_options(void) { read_all(true); }
