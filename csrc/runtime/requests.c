/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/requests.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "runtime/c_library.h"
#include "runtime/clocks.h"
#include "runtime/linux.h"
#include "runtime/messages.h"
#include "runtime/profile.h"
#include "runtime/sampling.h"
#include "runtime/text.h"

/* Distance in bytes between the two mappings that hold the answers: a multiple of every
 * page size. */
#define SPACING 65536L

int rec_user_signal;

static bool user_anew;   /* the signal that the user chose begins a new profile */
static unsigned pending; /* a bit for each kind of request */
static bool serving;     /* a thread answers requests */
static int running;      /* 1 while the answering thread exists, and uses `room` */
static char *answers;    /* address of the first mapping; NULL if there is none */
static unsigned answered;
static _Alignas(16) char room[1 << 16]; /* stack of the answering thread */

/* --- answers ---------------------------------------------------------------- */

static bool map_file(long file, char *at) {
  const long mapped = system_call(SYS_mmap, (long)at, 1, PROT_NONE,
                                  MAP_PRIVATE | MAP_FIXED, file, 0);
  return mapped == (long)at;
}

/* Replaces the first mapping by one whose name has the present state. /proc/PID/maps
 * shows this name (see requests.h). */
static void announce(int error) {
  char name[128];
  text built = begin_text(name, sizeof name);
  add_text(&built, "gprof-recorder:");
  add_number(&built, (uint64_t)rec_tick_signal);
  add_text(&built, ":");
  add_number(&built, answered);
  add_text(&built, ":");
  add_number(&built, (uint64_t)error);
  const long file = SYSTEM_CALL(memfd_create, name, 1 /* MFD_CLOEXEC */, 0, 0);
  if (file < 0) return;
  map_file(file, answers);
  SYSTEM_CALL(close, file, 0, 0, 0);
}

/* Maps the start of a complete context profile, so that /proc/PID/maps shows its path.
 * Returns 0 or an errno. */
static int map_profile(const char *path) {
  const long file = SYSTEM_CALL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return (int)-file;
  const bool mapped = map_file(file, answers + SPACING);
  SYSTEM_CALL(close, file, 0, 0, 0);
  return mapped ? 0 : ENODEV;
}

/* --- the thread that answers ------------------------------------------------ */

static int answer(unsigned kind) {
  if (kind == REQUEST_PAUSE || kind == REQUEST_RESUME) {
    rec_switch(kind == REQUEST_RESUME);
    return 0;
  }
  const int error = rec_write_present(kind == REQUEST_ANEW);
  return error || !answers ? error : map_profile(rec_context_path());
}

static void answer_all(void) {
  unsigned requests;
  while ((requests = __atomic_exchange_n(&pending, 0, __ATOMIC_ACQ_REL)) != 0)
    for (unsigned kind = REQUEST_WRITE; kind <= REQUEST_RESUME; kind++)
      if (requests & 1u << kind) {
        const int error = answer(kind);
        answered++;
        if (answers) announce(error);
      }
}

/* Answers all requests, including requests that arrive meanwhile. */
static void serve(void) {
  do {
    answer_all();
    __atomic_store_n(&serving, false, __ATOMIC_SEQ_CST);
  } while (__atomic_load_n(&pending, __ATOMIC_SEQ_CST) &&
           !__atomic_exchange_n(&serving, true, __ATOMIC_SEQ_CST));
}

/* Makes a thread that answers. The new thread has no thread-local storage of its own, and
 * must not use this thread's. If no thread can be made, this thread answers. */
static void start_serving(void) {
  const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                     CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  if (__atomic_exchange_n(&serving, true, __ATOMIC_SEQ_CST)) return;
  while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
    SYSTEM_CALL(futex, &running, FUTEX_WAIT, 1, 0);
  running = 1;
  if (rec_clone(flags, room + sizeof room, &running, serve) >= 0) return;
  running = 0;
  serve();
}

/* --- requests --------------------------------------------------------------- */

static void add_request(unsigned kind) {
  if (!rec_own_profile()) return;
  __atomic_fetch_or(&pending, 1u << kind, __ATOMIC_SEQ_CST);
  start_serving();
}

void rec_request(int value) {
  if (value == REQUESTS + REQUEST_RESTART) (void)rec_need_background();
  if (value >= REQUESTS + REQUEST_WRITE && value <= REQUESTS + REQUEST_RESUME)
    add_request((unsigned)value - REQUESTS);
}

static void queue(int request) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = rec_tick_signal;
  info.si_code = SI_QUEUE;
  info.si_value.sival_int = REQUESTS + request;
  const long process = SYSTEM_CALL(getpid, 0, 0, 0, 0);
  if (rec_tick_signal)
    SYSTEM_CALL(rt_sigqueueinfo, process, rec_tick_signal, &info, 0);
}

void rec_queue_request(void) { queue(user_anew ? REQUEST_ANEW : REQUEST_WRITE); }

void rec_queue_restart(void) { queue(REQUEST_RESTART); }

static void take_user_signal(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  rec_note_signal(context);
  add_request(user_anew ? REQUEST_ANEW : REQUEST_WRITE);
}

void rec_start_requests(int number, bool anew) {
  struct sigaction action = {.sa_sigaction = take_user_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  user_anew = anew;
  if (number && __sigaction(number, &action, NULL) == 0) rec_user_signal = number;
  if (!rec_tick_signal) return;
  const long at = system_call(SYS_mmap, 0, 2 * SPACING, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at < 0 && at > -4096) return;
  answers = (char *)at;
  announce(0);
}

void rec_end_user_signal(void) {
  static const char message[] = "libgprof-recorder: the program sets an action for the "
                                "signal of the option dump-signal, which then writes "
                                "no profile\n";
  rec_user_signal = 0;
  if (rec_may_complain())
    SYSTEM_CALL(write, STDERR_FILENO, message, sizeof message - 1, 0);
}

void rec_end_requests(void) {
  if (answers) announce(0);
}

void rec_forget_requests(void) {
  pending = 0;
  running = 0;
  serving = false;
  if (answered == 0) return;
  answered = 0;
  if (!answers) return;
  announce(0);
  system_call(SYS_mmap, (long)answers + SPACING, SPACING, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
