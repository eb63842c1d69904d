/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/profile.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/context_out.h"
#include "runtime/gmon_out.h"
#include "runtime/linux.h"
#include "runtime/modules.h"
#include "runtime/output.h"
#include "runtime/sampling.h"
#include "runtime/table.h"
#include "runtime/threads.h"

static process about;
static bool child;       /* this process was made by fork */
static uint64_t written; /* state of the tables when the profile was written */
static bool writing;
static char directory[PATH_MAX]; /* directory of the first profile; "" until it is
                                    written */
static char name[2 * PATH_MAX];  /* path of the file being written */

static uint64_t now(void) { return read_clock(CLOCK_REALTIME); }

void rec_set_code(uintptr_t low, uintptr_t high) {
  about.code_low = low & ~(uintptr_t)(REC_BYTES_PER_BIN - 1);
  about.code_high = (high + REC_BYTES_PER_BIN - 1) & ~(uintptr_t)(REC_BYTES_PER_BIN - 1);
}

void rec_begin_profile(bool forked) {
  about.id = SYSTEM_CALL(getpid, 0, 0, 0, 0);
  about.parent = SYSTEM_CALL(getppid, 0, 0, 0, 0);
  about.begin = now();
  child = forked;
  directory[0] = '\0';
  written = 0;
  writing = false;
}

static void add_count(void *into, const record *r, uint64_t count) {
  (void)r;
  *(uint64_t *)into += count;
}

/* A number that changes with every recorded call and sample. */
static uint64_t state_of_tables(void) {
  uint64_t state = 0;
  rec_visit_records(add_count, &state);
  return state;
}

static void complain(const char *what, int error) {
  char line[2 * PATH_MAX + 256];
  const int size =
      snprintf(line, sizeof line, "libgprof-recorder: %s: %s%s%s\n", name, what,
               *what && error ? ": " : "", error ? strerrordesc_np(error) : "");
  if (size > 0) SYSTEM_CALL(write, STDERR_FILENO, line, (size_t)size, 0);
}

/* --- names ------------------------------------------------------------------ */

/* The directory for relative names: the current one when the profile is first written.
 * The program may change its directory before the profile is written again. */
static void find_directory(void) {
  if (directory[0] != '\0') return;
  if (SYSTEM_CALL(getcwd, directory, sizeof directory, 0, 0) <= 0 || directory[0] != '/')
    memcpy(directory, ".", 2);
}

/* Sets the name that glibc would choose; in a forked child, with the process id. */
static void set_name(const char *suffix) {
  const char *prefix = secure_getenv("GMON_OUT_PREFIX");
  const char *base = prefix ? prefix : "gmon.out";
  char number[32] = "";
  if (prefix || child) snprintf(number, sizeof number, ".%lld", (long long)about.id);
  find_directory();
  if (base[0] == '/')
    snprintf(name, sizeof name, "%s%s%s", base, number, suffix);
  else
    snprintf(name, sizeof name, "%s/%s%s%s", directory, base, number, suffix);
}

/* --- files ------------------------------------------------------------------ */

static void write_gmon(void) {
  set_name("");
  int error = 0;
  if (rec_open_output(name))
    error = rec_put_gmon(about.code_low, about.code_high, about.end);
  if (error)
    rec_discard_output();
  else
    error = rec_close_output();
  if (error) complain("", error);
}

static void write_contexts(void) {
  set_name(".ctx");
  if (rec_open_output(name)) rec_put_contexts(&about);
  const int failed = rec_close_output();
  if (failed) complain("", failed);
}

static void warn(void) {
  set_name("");
  if (rec_timer_error) complain("some threads have no samples", rec_timer_error);
  if (rec_lost > 0) complain("some calls were not counted", ENOMEM);
}

void rec_write_profile(void) {
  if (!rec_tables || SYSTEM_CALL(getpid, 0, 0, 0, 0) != about.id) return;
  if (__atomic_exchange_n(&writing, true, __ATOMIC_ACQUIRE)) return;
  const uint64_t before = block_signals(), state = state_of_tables();
  if (state != written) {
    if (about.code_low >= about.code_high)
      rec_set_code(rec_modules->code, rec_modules->code_end);
    about.end = now();
    write_gmon();
    write_contexts();
    warn();
    written = state;
  }
  /* A file size limit must not kill the program. */
  const uint64_t too_large = UINT64_C(1) << (SIGXFSZ - 1);
  const struct timespec none = {0, 0};
  if (!(before & too_large))
    SYSTEM_CALL(rt_sigtimedwait, &too_large, 0, &none, KERNEL_SIGSET);
  restore_signals(before);
  __atomic_store_n(&writing, false, __ATOMIC_RELEASE);
}
