/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets resource limits and closes descriptors. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confinement.h"

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#ifdef __GLIBC__
typedef __rlimit_resource_t resource_name;
#else
typedef int resource_name;
#endif

/* Sets a limit, but never raises it. */
static bool set_limit(resource_name resource, rlim_t soft, rlim_t hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return false;
  if (hard < limit.rlim_max) limit.rlim_max = hard;
  if (soft < limit.rlim_cur) limit.rlim_cur = soft;
  return setrlimit(resource, &limit) == 0;
}

/* Restores what a signal does by default: the process may have inherited that it is
 * ignored or blocked. */
static bool restore(int number) {
  sigset_t set;
  return sigemptyset(&set) == 0 && sigaddset(&set, number) == 0 &&
         signal(number, SIG_DFL) != SIG_ERR &&
         sigprocmask(SIG_UNBLOCK, &set, NULL) == 0;
}

/* At the soft limit of CPU time the process gets SIGXCPU; a second later, SIGKILL. At the
 * limit of file size it gets SIGXFSZ. */
static bool set_limits(const gp_limits *limits) {
  return restore(SIGXCPU) && restore(SIGXFSZ) &&
         set_limit(RLIMIT_CPU, limits->seconds, limits->seconds + 1) &&
         set_limit(RLIMIT_FSIZE, limits->file, limits->file) &&
         set_limit(RLIMIT_CORE, 0, 0) &&
         (SANITIZED || set_limit(RLIMIT_AS, limits->memory, limits->memory));
}

/* PR_SET_DUMPABLE also prevents core dumps that are piped to a program, and keeps the
 * user's other processes from attaching a debugger. */
bool gp_limit(const gp_limits *limits, gp_error *error) {
  bool set = set_limits(limits) && prctl(PR_SET_DUMPABLE, 0) == 0 &&
             prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  return set || gp_fail(error, "cannot set resource limits (%s)", strerror(errno));
}

static void sort(int *numbers, size_t count) {
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && numbers[j] < numbers[j - 1]; j--) {
      int higher = numbers[j - 1];
      numbers[j - 1] = numbers[j];
      numbers[j] = higher;
    }
}

/* Makes the system call directly, because C libraries may lack close_range(). Every
 * kernel with Landlock has the call. */
static bool close_range_of(int first, unsigned last) {
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
  return (unsigned)first > last || syscall(SYS_close_range, first, last, 0) == 0;
}

bool gp_close_others(int *keep, size_t count, gp_error *error) {
  int next = STDERR_FILENO + 1;
  bool closed = true;
  sort(keep, count);
  for (size_t i = 0; closed && i < count; i++) {
    if (keep[i] < next) continue;
    closed = keep[i] == next || close_range_of(next, (unsigned)keep[i] - 1);
    next = keep[i] + 1;
  }
  closed = closed && close_range_of(next, UINT_MAX);
  return closed || gp_fail(error, "cannot close open files (%s)", strerror(errno));
}
