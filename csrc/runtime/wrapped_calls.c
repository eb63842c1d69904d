/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library that the recorder wraps: to notice when the program becomes
 * a daemon, makes a thread, closes a library, or switches to a coroutine's stack; and to
 * hide the recorder's signals from a program that waits for all signals. The C library's
 * own functions are found by the dynamic linker, so this file is not in the archive for
 * static programs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/linux.h"
#include "runtime/lua_ticks.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/profile.h"
#include "runtime/recorder.h"
#include "runtime/requests.h"
#include "runtime/sampled_paths.h"
#include "runtime/sampling.h"
#include "runtime/stacks.h"
#include "runtime/table.h"
#include "runtime/threads.h"

/* --- ends -------------------------------------------------------------------- */

/* Ends this process, and goes on in a child, which begins a profile of its own. */
EXPORTED int daemon(int keeps_directory, int keeps_streams) {
  int (*const original)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "daemon");
  rec_write_profile();
  const int failed = original(keeps_directory, keeps_streams);
  rec_go_on();
  return failed;
}

/* --- threads ---------------------------------------------------------------- */

/* What a new thread runs. C11 threads return an int, POSIX threads an address. */
typedef struct thread_start {
  union {
    void *(*posix)(void *);
    thrd_start_t c11;
  } run;
  void *argument;
} thread_start;

/* With -pg, a thread gets its table at its first call; without, here. The C functions of
 * a Lua program may be compiled without. */
static thread_start begin_thread(void *given) {
  const thread_start start = *(thread_start *)given;
  free(given);
  if (rec_own || rec_state != RECORDING) return start;
  rec_begin_thread_paths();
  rec_other_table(NULL, (uintptr_t)__builtin_frame_address(0));
  return start;
}

static void *run_posix(void *given) {
  const thread_start start = begin_thread(given);
  return start.run.posix(start.argument);
}

static int run_c11(void *given) {
  const thread_start start = begin_thread(given);
  return start.run.c11(start.argument);
}

/* Returns NULL if the thread gets its table at its first call, or without memory. */
static thread_start *new_start(void *argument) {
  const bool is_recorded = rec_options.samples || rec_records_lua();
  thread_start *start = is_recorded ? malloc(sizeof *start) : NULL;
  if (start) start->argument = argument;
  return start;
}

EXPORTED int pthread_create(pthread_t *restrict thread_id,
                            const pthread_attr_t *restrict attributes,
                            void *(*run)(void *), void *restrict argument) {
  typedef int function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  function *const original = (function *)dlsym(RTLD_NEXT, "pthread_create");
  size_t size;
  if (attributes && pthread_attr_getstacksize(attributes, &size) == 0)
    rec_note_stack_size(size);
  thread_start *const start = new_start(argument);
  if (!start) return original(thread_id, attributes, run, argument);
  start->run.posix = run;
  const int error = original(thread_id, attributes, run_posix, start);
  if (error) free(start);
  return error;
}

EXPORTED int thrd_create(thrd_t *thread_id, thrd_start_t run, void *argument) {
  typedef int function(thrd_t *, thrd_start_t, void *);
  function *const original = (function *)dlsym(RTLD_NEXT, "thrd_create");
  thread_start *const start = new_start(argument);
  if (!start) return original(thread_id, run, argument);
  start->run.c11 = run;
  const int error = original(thread_id, run_c11, start);
  if (error != thrd_success) free(start);
  return error;
}

/* --- libraries and coroutines ----------------------------------------------- */

/* dlopen is not wrapped, because it searches the run path (DT_RUNPATH) of the object that
 * calls it. */
EXPORTED int dlclose(void *handle) {
  int (*const original)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
  rec_update_modules();
  rec_begin_closing();
  const int result = original(handle);
  rec_end_closing();
  rec_update_modules();
  return result;
}

EXPORTED int swapcontext(ucontext_t *restrict old, const ucontext_t *restrict new) {
  typedef int function(ucontext_t *, const ucontext_t *);
  function *const original = (function *)dlsym(RTLD_NEXT, "swapcontext");
  const uintptr_t low = (uintptr_t)new->uc_stack.ss_sp;
  if (low) rec_register_stack(low, low + new->uc_stack.ss_size);
  if (low && rec_own) leave_window(rec_own); /* it may contain the stack */
  return original(old, new);
}

/* --- signals ---------------------------------------------------------------- */

/* Returns the set without the recorder's signals. */
static sigset_t without_own(const sigset_t *set) {
  const uint64_t own = rec_sampling_signals() | signal_bit(rec_user_signal);
  sigset_t wanted = *set;
  for (int number = 1; number <= 64; number++)
    if (own & signal_bit(number)) sigdelset(&wanted, number);
  return wanted;
}

/* Returns the rest of a time limit for a wait that began at `begun`. */
static struct timespec rest_of(const struct timespec *limit, uint64_t begun) {
  const uint64_t spent = read_clock(CLOCK_MONOTONIC) - begun;
  struct timespec rest = {limit->tv_sec - (time_t)(spent / SECOND),
                          limit->tv_nsec - (long)(spent % SECOND)};
  if (rest.tv_nsec < 0) {
    rest.tv_nsec += (long)SECOND;
    rest.tv_sec--;
  }
  return rest.tv_sec < 0 ? (struct timespec){0, 0} : rest;
}

/* A signal of the recorder ends the wait with EINTR: then the wait goes on. */
EXPORTED int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                          const struct timespec *restrict limit) {
  typedef int function(const sigset_t *, siginfo_t *, const struct timespec *);
  function *const original = (function *)dlsym(RTLD_NEXT, "sigtimedwait");
  const sigset_t wanted = without_own(set);
  const uint64_t begun = limit ? read_clock(CLOCK_MONOTONIC) : 0;
  const signal_wait outer = rec_signal_wait; /* a handler may wait, too */
  struct timespec rest = limit ? *limit : (struct timespec){0, 0};
  rec_signal_wait.frame = (uintptr_t)__builtin_frame_address(0);
  int result;
  for (;;) {
    rec_signal_wait.is_ended = false;
    result = original(&wanted, info, limit ? &rest : NULL);
    if (result >= 0 || errno != EINTR || !rec_signal_wait.is_ended) break;
    if (limit) rest = rest_of(limit, begun);
  }
  rec_signal_wait = outer;
  return result;
}

EXPORTED int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info) {
  return sigtimedwait(set, info, NULL);
}

EXPORTED int sigwait(const sigset_t *restrict set, int *restrict number) {
  typedef int function(const sigset_t *, int *);
  function *const original = (function *)dlsym(RTLD_NEXT, "sigwait");
  const sigset_t wanted = without_own(set);
  return original(&wanted, number);
}

EXPORTED int signalfd(int file, const sigset_t *set, int flags) {
  typedef int function(int, const sigset_t *, int);
  function *const original = (function *)dlsym(RTLD_NEXT, "signalfd");
  const sigset_t wanted = without_own(set);
  return original(file, &wanted, flags);
}
