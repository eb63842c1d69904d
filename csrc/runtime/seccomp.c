/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/execute.h"
#include "runtime/fatal.h"
#include "runtime/linux.h"
#include "runtime/messages.h"
#include "runtime/profile.h"
#include "runtime/recorder.h"
#include "runtime/sampling.h"
#include "runtime/soft_limits.h"

/* A system call that confines the program. */
typedef struct call {
  long number, a, b, c, d, e;
} call;

static long make(const call *wanted) {
  return system_call(wanted->number, wanted->a, wanted->b, wanted->c, wanted->d,
                     wanted->e, 0);
}

/* Does in a child what the recorder does in the program. */
static bool writes_confined(void *confine) {
  if (make(confine) < 0) return true; /* as it will fail in the program */
  if (rec_own) {
    rec_stop_clock(rec_own);
    rec_own->id = (int)SYSTEM_CALL(gettid, 0, 0, 0, 0);
    rec_start_clock(rec_own);
  }
  return false;
}

static void end_recording(void) {
  static const char message[] =
      "libgprof-recorder: the program confines itself (seccomp), and does not allow the "
      "recorder's system calls: its profile ends here\n";
  rec_write_profile();
  rec_end_sampling();
  rec_leave_signals();
  __atomic_store_n(&rec_state, ENDED, __ATOMIC_RELEASE);
  if (rec_may_complain())
    SYSTEM_CALL(write, STDERR_FILENO, message, sizeof message - 1, 0);
}

static long confine(const call *wanted) {
  if (rec_state != NOT_STARTED && rec_state != ENDED && rec_own_profile() &&
      !rec_try_writing(writes_confined, (void *)(uintptr_t)wanted))
    end_recording();
  rec_keep_limits();
  return make(wanted);
}

static bool confines(const call *wanted) {
  if (wanted->number == SYS_prctl) return wanted->a == PR_SET_SECCOMP;
  return wanted->number == SYS_seccomp && (wanted->a == SECCOMP_SET_MODE_STRICT ||
                                           wanted->a == SECCOMP_SET_MODE_FILTER);
}

static long special_call(long number, long a, long b, long c, long d, long e) {
  const call wanted = {number, a, b, c, d, e};
  if (confines(&wanted)) return confine(&wanted);
  if (number == SYS_exit_group) rec_write_profile();
  if (number != SYS_execve && number != SYS_execveat) return make(&wanted);
  const long failed = number == SYS_execve
                          ? execve((const char *)a, (char **)b, (char **)c)
                          : execveat((int)a, (const char *)b, (char **)c, (char **)d,
                                     (int)e);
  return failed ? -errno : 0;
}

static long result_of(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = (int)-result;
  return -1;
}

long rec_system_call(long number, long a, long b, long c, long d, long e) {
  return result_of(special_call(number, a, b, c, d, e));
}

long rec_failed_call(long error) { return result_of(error); }

/* All arguments are in registers, whether they were given or not. */
EXPORTED int prctl(int option, ...) {
  long a[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; i++) a[i] = va_arg(list, long);
  va_end(list);
  return (int)rec_system_call(SYS_prctl, option, a[0], a[1], a[2], a[3]);
}
