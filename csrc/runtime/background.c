/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/background.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/clocks.h"
#include "runtime/file_names.h"
#include "runtime/linux.h"
#include "runtime/profile.h"
#include "runtime/requests.h"
#include "runtime/sampling.h"
#include "runtime/text.h"
#include "runtime/waiting.h"

/* How often the file is looked at, per second. */
#define LOOKS 20

static char dump_file[PATH_MAX]; /* "" if there is none */
static char watched[PATH_MAX];   /* its path at the start of the program */
static _Alignas(16) char room[1 << 15]; /* the thread's stack */
static uintptr_t thread_local_data;     /* the thread's thread pointer */
static int running; /* the kernel clears it when the thread has ended */
static bool is_replaced; /* the thread ends, and another one follows */

bool rec_set_dump_file(const char *name) {
  if (*name == '\0' || strlen(name) >= sizeof dump_file) return false;
  text copy = begin_text(dump_file, sizeof dump_file);
  add_decoded(&copy, name);
  return true;
}

/* --- the file --------------------------------------------------------------- */

typedef struct version {
  bool exists;
  ino_t inode;
  struct timespec changed;
} version;

static version seen;   /* the version at the last look */
static version served; /* the version at the start, or for which a profile was asked */
static uint64_t begun; /* when the thread was started */

static version present_version(void) {
  struct stat file;
  if (SYSTEM_CALL(newfstatat, AT_FDCWD, watched, &file, 0) != 0)
    return (version){.exists = false};
  return (version){true, file.st_ino, file.st_mtim};
}

static bool is_same(version a, version b) {
  return a.exists == b.exists && a.inode == b.inode &&
         a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec;
}

/* Asks the program for its profile if the file is new, or was touched. A command may
 * change it in two steps: the next look must find the same. */
static void look_at_file(void) {
  const version now = present_version(), last = seen;
  seen = now;
  if (!is_same(now, last) || is_same(now, served)) return;
  served = now;
  if (now.exists) rec_queue_request();
}

/* --- privileges ------------------------------------------------------------- */

/* Returns the permitted capabilities of a thread. */
static uint64_t capabilities(int id) {
  struct __user_cap_header_struct of = {_LINUX_CAPABILITY_VERSION_3, id};
  struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}};
  SYSTEM_CALL(capget, &of, words, 0, 0);
  return (uint64_t)words[1].permitted << 32 | words[0].permitted;
}

/* Whether the program has dropped privileges that this thread has: the C library does not
 * know the thread, and drops only those of its own threads. */
static bool has_more_than_program(uint64_t own) {
  return own & ~capabilities((int)SYSTEM_CALL(getpid, 0, 0, 0, 0));
}

/* Waits for the end of the thread that is replaced. Without privileges, the kernel may
 * not say which threads wait. */
static void await_end(void) {
  while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
    SYSTEM_CALL(futex, &running, FUTEX_WAIT, 1, 0);
  if (!__atomic_exchange_n(&is_replaced, false, __ATOMIC_ACQ_REL) ||
      rec_knows_waiting((int)SYSTEM_CALL(gettid, 0, 0, 0, 0)))
    return;
  if (rec_samples_waiting()) rec_waiting_error = EACCES;
  rec_end_thread_clock();
}

/* --- the thread ------------------------------------------------------------- */

static void close_descriptors(void) {
  if (SYSTEM_CALL(close_range, 0, UINT32_MAX, 0, 0) == 0) return;
  for (int file = 0; file < 65536; file++) SYSTEM_CALL(close, file, 0, 0, 0);
}

/* Makes the profile report what does not work without the thread. */
static void set_error(int error) {
  if (rec_samples_waiting()) rec_waiting_error = error;
  if (dump_file[0] != '\0') rec_dump_file_error = error;
}

/* Waits until a time. Returns the present time; 0 if waiting is not permitted. */
static uint64_t wait_until(uint64_t time) {
  const struct timespec until = {(time_t)(time / SECOND), (long)(time % SECOND)};
  uint64_t now;
  do {
    const long failed =
        SYSTEM_CALL(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    now = read_clock(CLOCK_MONOTONIC);
    const long error = failed && failed != -EINTR ? -failed : now == 0 ? EPERM : 0;
    if (error) {
      set_error((int)error);
      return 0;
    }
  } while (now < time);
  return now;
}

static bool looks_at_threads(void) {
  return rec_samples_waiting() ||
         __atomic_load_n(&rec_has_thread_clock, __ATOMIC_ACQUIRE);
}

/* Samples the threads. `interval` is the mean time between two looks. */
static void sample_threads(uint64_t now, uint64_t interval) {
  static uint64_t last;
  if (rec_has_thread_clock) rec_tick_threads(interval);
  if (!rec_samples_waiting()) return;
  if (last < begun) last = begun;
  const uint64_t period = SECOND / rec_rate, ticks = (now - last) / period;
  if (ticks > 0) rec_look_at_threads(ticks);
  last += ticks * period;
}

/* Makes the kernel run the thread at the time for which it has asked, also where other
 * threads run. The short slice needs no privileges, but Linux 6.12. */
static void ask_for_precedence(void) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } wanted = {.size = 48, .nice = -20, .runtime = 100000};
  SYSTEM_CALL(prctl, 29 /* PR_SET_TIMERSLACK */, 1, 0, 0);
  if (SYSTEM_CALL(sched_setattr, 0, &wanted, 0, 0) == 0) return;
  wanted.nice = 20 - (int32_t)SYSTEM_CALL(getpriority, 0, 0, 0, 0);
  SYSTEM_CALL(sched_setattr, 0, &wanted, 0, 0);
}

/* The thread takes at most about an eighth of a processor: it looks less often if there
 * are many threads. */
static void run(void) {
  set_thread_pointer(thread_local_data);
  SYSTEM_CALL(prctl, 15 /* PR_SET_NAME */, "gprof-recorder", 0, 0);
  close_descriptors();
  ask_for_precedence();
  if (rec_samples_waiting()) rec_start_looking();
  const uint64_t own = capabilities(0);
  uint64_t random = rec_seed(), now = begun, looked = begun, cost = 0;
  while (now && __atomic_load_n(&rec_state, __ATOMIC_RELAXED) != ENDED) {
    const uint64_t period = SECOND / (looks_at_threads() ? rec_rate : LOOKS);
    const uint64_t interval = period > 8 * cost ? period : 8 * cost;
    now = wait_until(now + interval / 2 + rec_random(&random, interval + 1));
    if (has_more_than_program(own)) {
      __atomic_store_n(&is_replaced, true, __ATOMIC_RELEASE);
      rec_queue_restart();
      return;
    }
    if (now && looks_at_threads()) sample_threads(now, interval);
    if (now && dump_file[0] != '\0' && now - looked >= SECOND / LOOKS) {
      looked = now;
      look_at_file();
    }
    cost = (7 * cost + read_clock(CLOCK_MONOTONIC) - now) / 8;
  }
}

/* Makes room for the recorder's thread-local variables of a further thread, which are at
 * a fixed distance from the thread pointer. */
static bool make_thread_local_data(void) {
  const intptr_t distance = (intptr_t)&rec_own - (intptr_t)thread_pointer();
  const size_t size = (size_t)(distance < 0 ? -distance : distance), space = 4096;
  const uintptr_t start = (uintptr_t)map_memory(size + 2 * space);
  thread_local_data = start + space + (distance < 0 ? size : 0);
  return start != 0;
}

int rec_start_background(void) {
  const long flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                     CLONE_CHILD_CLEARTID;
  if (__atomic_load_n(&is_replaced, __ATOMIC_ACQUIRE)) await_end();
  if (!looks_at_threads() && dump_file[0] == '\0') return 0;
  int none = 0;
  if (!__atomic_compare_exchange_n(&running, &none, 1, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE))
    return 0;
  begun = read_clock(CLOCK_MONOTONIC);
  /* A forked child may start in another directory. */
  if (watched[0] == '\0') rec_set_absolute(watched, dump_file);
  seen = served = present_version();
  const uint64_t before = block_signals();
  const bool has_data = make_thread_local_data();
  const long made =
      has_data ? rec_clone(flags, room + sizeof room, &running, run) : -ENOMEM;
  if (made < 0) {
    set_error((int)-made);
    running = 0;
  }
  restore_signals(before);
  return made < 0 ? (int)-made : 0;
}

void rec_forget_background(void) {
  running = 0;
  is_replaced = false;
}
