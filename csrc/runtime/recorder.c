/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libgprof-recorder takes the place of the C library's functions for programs compiled
 * with -pg: see doc/recorder.md. This file starts and ends the recorder; calls.c has the
 * code that runs at each call.
 */
#include "runtime/recorder.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/block_counts.h"
#include "runtime/calls.h"
#include "runtime/environment.h"
#include "runtime/execute.h"
#include "runtime/fatal.h"
#include "runtime/linux.h"
#include "runtime/messages.h"
#include "runtime/modules.h"
#include "runtime/profile.h"
#include "runtime/requests.h"
#include "runtime/sampling.h"
#include "runtime/stacks.h"
#include "runtime/threads.h"

/* --- options ---------------------------------------------------------------- */

static struct {
  int signal; /* the signal for requests; 0 if the user chose none */
  bool anew;  /* each request by this signal begins a new profile */
  unsigned part; /* number of the first profile */
  const char *text;
} options = {.part = 1, .text = ""};

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
    options.part = (unsigned)strtoul(end + 1, NULL, 10);
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
    options.anew = true;
  else if (is_word(text, length, "follow"))
    rec_follow = true;
  else if (strncmp(text, "part=", 5) == 0)
    read_part(text + 5);
  else if (length > skipped && strncmp(text, by_signal, skipped) == 0)
    return (options.signal = signal_number(text + skipped, length - skipped)) != 0;
  else
    return false;
  return true;
}

/* Reads the options in the value of GPROF_RECORDER (see doc/recorder.md). Ignores invalid
 * options, and reports them if `report` is true. */
static void read_options(const char *text, bool report) {
  while (*text != '\0') {
    const size_t length = strcspn(text, ",");
    if (!set_option(text, length) && report && rec_may_complain())
      dprintf(STDERR_FILENO, "libgprof-recorder: GPROF_RECORDER: invalid option '%.*s'\n",
              (int)length, text);
    text += length;
    text += *text == ',';
  }
}

/* --- start ------------------------------------------------------------------ */

static void begin_child(void) {
  rec_begin_profile(environ, true, 1);
  rec_forget_requests();
  rec_start_child();
}

/* Records the calls made before the start, in the table of the main thread. */
static void add_early_calls(void) {
  thread *t = rec_other_table(rec_own, (uintptr_t)__builtin_frame_address(0));
  for (const early_call *e = rec_early; t && e < rec_early + EARLY_CALLS && e->self;
       e++) {
    slot *root = t->now.slots;
    record *call = rec_find_call(t, &root, e->from, e->self, false);
    if (call) call->count += e->count;
  }
}

/* Programs with the privileges of another user are not recorded. */
static void start(int count, char **arguments, char **environment) {
  (void)count, (void)arguments;
  static bool started;
  if (started || getauxval(AT_SECURE)) return;
  started = true;
  rec_start_messages();
  const char *given = rec_variable(environment, "GPROF_RECORDER=");
  if (given) options.text = given;
  read_options(options.text, false);
  rec_begin_profile(environment, rec_follow, options.part);
  if (!rec_follow) rec_leave_environment(environment);
  rec_start_stacks();
  rec_update_modules();
  if (!rec_start_threads() || pthread_atfork(NULL, NULL, begin_child) != 0) return;
  rec_find_blocks();
  rec_start_sampling(rec_request, options.signal);
  rec_start_requests(options.signal, options.anew);
  __atomic_store_n(&rec_state, RECORDING, __ATOMIC_RELEASE);
  if (rec_early[0].self != 0) add_early_calls();
}

void __monstartup(size_t low, size_t high) {
  start(0, NULL, environ);
  if (rec_state != RECORDING) return;
  read_options(options.text, true);
  rec_set_code(low, high);
  if (!rec_own) rec_other_table(NULL, (uintptr_t)__builtin_frame_address(0));
  rec_catch_signals();
  (void)at_quick_exit(rec_write_profile);
}

void monstartup(size_t low, size_t high) { __monstartup(low, high); }

void moncontrol(int on) { rec_switch(on); }

void gprof_stack(void *low, void *high) {
  rec_register_stack((uintptr_t)low, (uintptr_t)high);
}

/* --- end -------------------------------------------------------------------- */

void _mcleanup(void) {
  if (rec_state != NOT_STARTED) rec_update_modules();
  rec_write_profile();
}

/* The linker sorts constructors and destructors by these numbers. Destructors run in
 * reverse order. So if the recorder is linked into the program, its destructor runs after
 * all others of the program. */
#define IN(section_name) __attribute__((section(section_name), used))
IN(".init_array.00000")
static void (*const first)(int, char **, char **) = start;
IN(".fini_array.00000")
static void (*const last)(void) = _mcleanup;
