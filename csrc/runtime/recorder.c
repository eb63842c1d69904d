/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libgprof-recorder takes the place of the C library's functions for programs compiled
 * with -pg: see doc/recorder.md. This file starts and ends the recorder; calls.c has the
 * code that runs at each call.
 */
#include "runtime/recorder.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/background.h"
#include "runtime/block_counts.h"
#include "runtime/calls.h"
#include "runtime/clocks.h"
#include "runtime/environment.h"
#include "runtime/execute.h"
#include "runtime/fatal.h"
#include "runtime/file_names.h"
#include "runtime/linux.h"
#include "runtime/lua_ticks.h"
#include "runtime/messages.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/profile.h"
#include "runtime/requests.h"
#include "runtime/sampled_paths.h"
#include "runtime/sampling.h"
#include "runtime/stacks.h"
#include "runtime/threads.h"

/* --- start ------------------------------------------------------------------ */

static void begin_child(void) {
  rec_unlock_modules();
  rec_begin_profile(environ, true, 1, true);
  rec_forget_requests();
  rec_forget_lua();
  rec_forget_background();
  rec_forget_holders();
  rec_forget_trap_lock();
  rec_start_child();
  (void)rec_start_background();
}

/* Records the calls made before the start, in the table of the main thread. */
static void add_early_calls(void) {
  thread *t = rec_other_table(rec_own, (uintptr_t)__builtin_frame_address(0));
  if (t) rec_hold(t);
  const early_call *const end = rec_early + EARLY_CALLS;
  for (const early_call *e = rec_early; e < end && e->self; e++) {
    slot *root = t ? t->now.slots : NULL;
    record *call = t ? rec_find_call(t, &root, e->from, e->self, false) : NULL;
    if (call)
      call->count += e->count;
    else
      rec_count_lost(e->count);
  }
  if (t) rec_release(t);
}

static void start(char **environment) {
  rec_start_messages();
  rec_read_options(environment);
  /* An event's SIGTRAP may interrupt valgrind's own code, which ends it. */
  if (rec_is_in_valgrind(environment)) rec_refuse_events();
  rec_begin_profile(environment, rec_follow, rec_options.part, false);
  if (!rec_follow) rec_leave_environment(environment);
  rec_start_stacks();
  rec_update_modules();
  if (!rec_start_threads() ||
      pthread_atfork(rec_lock_modules, rec_unlock_modules, begin_child) != 0)
    return;
  rec_find_blocks();
  rec_start_sampling(rec_request, rec_start_background, rec_options.dump_signal);
  rec_start_requests(rec_options.dump_signal, rec_options.anew);
  __atomic_store_n(&rec_state, RECORDING, __ATOMIC_RELEASE);
  if (rec_early[0].self != 0) add_early_calls();
  (void)rec_start_background();
}

/* What the program's startup code asked for before the recorder was started. */
static struct {
  bool started, is_asked;
  size_t low, high;
} startup;

/* Records the program, whose code is between two addresses. */
static void record_program(size_t low, size_t high) {
  if (rec_state != RECORDING) return;
  rec_report_options();
  rec_set_code(low, high);
  if (!rec_own) rec_other_table(NULL, (uintptr_t)__builtin_frame_address(0));
  thread *const t = rec_begin_work(); /* its clock is running */
  rec_catch_signals();
  (void)at_quick_exit(rec_write_profile);
  if (t) rec_release(t);
}

/* Records a program that is compiled with -pg, which counts its calls. */
static void record_counted(size_t low, size_t high) {
  rec_options.samples = false;
  record_program(low, high);
}

/* Starts the recorder. Programs with the privileges of another user are not recorded. */
static void construct(int count, char **arguments, char **environment) {
  (void)count, (void)arguments;
  startup.started = true;
  if (getauxval(AT_SECURE)) return;
  start(environment);
  if (startup.is_asked) {
    record_counted(startup.low, startup.high);
  } else if (rec_options.samples && rec_modules) {
    if (rec_follow) rec_omit_short_profile();
    if (!rec_options.no_paths) rec_begin_paths();
    record_program(rec_modules->code, rec_modules->code_end); /* the first: the program */
  }
}

/* If the program has libraries, the recorder's own _init calls the startup code of the
 * program, before the constructor runs. The environment is not known then. */
void __monstartup(size_t low, size_t high) {
  if (startup.started) {
    record_counted(low, high);
    return;
  }
  startup.is_asked = true;
  startup.low = low;
  startup.high = high;
}

void monstartup(size_t low, size_t high) { __monstartup(low, high); }

void moncontrol(int on) { rec_switch(on); }

/* Whether recording was on before gprof_recorder_suspend. */
static bool was_on;

int gprof_recorder_suspend(int gmon, int contexts) {
  was_on = rec_state == RECORDING;
  rec_switch(false);
  if (rec_state != NOT_STARTED) rec_update_modules();
  return rec_lend_profile(gmon, contexts);
}

void gprof_recorder_settle(bool drop) { rec_end_loan(drop); }

void gprof_recorder_resume(void) {
  if (was_on) rec_switch(true);
}

void gprof_recorder_name(const char *prefix) { rec_set_prefix(prefix); }

void gprof_stack(void *low, void *high) {
  rec_register_stack((uintptr_t)low, (uintptr_t)high);
}

/* --- end -------------------------------------------------------------------- */

void _mcleanup(void) {
  thread *const t = rec_begin_work();
  if (rec_state != NOT_STARTED) rec_update_modules();
  if (t) rec_release(t);
  rec_write_profile();
}

/* The linker sorts constructors and destructors by these numbers. Destructors run in
 * reverse order. So if the recorder is linked into the program, its destructor runs after
 * all others of the program. */
#define IN(section_name) __attribute__((section(section_name), used))
IN(".init_array.00000")
static void (*const first)(int, char **, char **) = construct;
IN(".fini_array.00000")
static void (*const last)(void) = _mcleanup;
