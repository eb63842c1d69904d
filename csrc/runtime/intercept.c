/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/intercept.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/linux.h"
#include "runtime/profile.h"
#include "runtime/recorder.h"
#include "runtime/requests.h"
#include "runtime/sampling.h"

/* --- ends of the program ---------------------------------------------------- */

static _Noreturn void end(int status) {
  rec_write_profile();
  for (;;) SYSTEM_CALL(exit_group, status, 0, 0, 0);
}

EXPORTED void _exit(int status) { end(status); }

EXPORTED void _Exit(int status) { end(status); }

/* Our action for SIGABRT: writes the profile, then takes the default action. */
static void write_and_abort(int number) {
  const int saved = errno;
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  rec_write_profile();
  __sigaction(number, &standard, NULL);
  SYSTEM_CALL(tgkill, SYSTEM_CALL(getpid, 0, 0, 0, 0), SYSTEM_CALL(gettid, 0, 0, 0, 0),
              number, 0);
  errno = saved;
}

static int set_abort_action(struct sigaction *old) {
  struct sigaction action = {.sa_handler = write_and_abort, .sa_flags = SA_ONSTACK};
  sigfillset(&action.sa_mask);
  return __sigaction(SIGABRT, &action, old);
}

void rec_catch_abort(void) {
  struct sigaction present;
  if (__sigaction(SIGABRT, NULL, &present) == 0 && present.sa_handler == SIG_DFL)
    set_abort_action(NULL);
}

/* --- actions of signals ----------------------------------------------------- */

/* Whether a signal is one of the recorder's. The program sees the default action for such
 * a signal. */
static bool is_own(int number) {
  return number != 0 && (number == rec_tick_signal || number == rec_user_signal);
}

/* Leaves one of the recorder's signals to the program. */
static void give_way(int number) {
  if (number == rec_tick_signal) {
    rec_end_sampling();
    rec_end_requests();
  }
  if (number == rec_user_signal) rec_end_user_signal();
}

/* The recorder replaces the default action for SIGABRT, but shows the program the default
 * action. If the program sets an action for one of the recorder's signals, the recorder
 * stops using the signal. */
EXPORTED int sigaction(int number, const struct sigaction *restrict action,
                       struct sigaction *restrict old) {
  const bool own = is_own(number);
  struct sigaction before;
  int result;
  if (own && (!action || action->sa_handler == SIG_DFL)) {
    if (old) memset(old, 0, sizeof *old);
    return 0;
  }
  if (own) give_way(number);
  if (number == SIGABRT && action && action->sa_handler == SIG_DFL)
    result = set_abort_action(&before);
  else
    result = __sigaction(number, action, &before);
  if (result != 0 || !old) return result;
  if (own || before.sa_handler == write_and_abort)
    memset(old, 0, sizeof *old);
  else
    *old = before;
  return 0;
}

EXPORTED void (*signal(int number, void (*handler)(int)))(int) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  sigemptyset(&action.sa_mask);
  if (handler == SIG_ERR) errno = EINVAL;
  return handler == SIG_ERR || sigaction(number, &action, &old) != 0 ? SIG_ERR
                                                                     : old.sa_handler;
}

/* Makes the next recorded call look up its stack, because the alternate stack may lie
 * within the thread's own stack. */
EXPORTED int sigaltstack(const stack_t *restrict new, stack_t *restrict old) {
  const long failed = SYSTEM_CALL(sigaltstack, new, old, 0, 0);
  if (new && rec_own) rec_own->now.size = 0;
  if (failed) errno = (int)-failed;
  return failed ? -1 : 0;
}

/* --- signal masks ----------------------------------------------------------- */

static uint64_t bit_of(int number) {
  return number ? UINT64_C(1) << (number - 1) : 0;
}

/* Signals that a program must not block: glibc's own, and the recorder's. */
static uint64_t never_blocked(void) {
  return bit_of(32) | bit_of(33) | bit_of(rec_tick_signal) | bit_of(rec_user_signal);
}

EXPORTED int pthread_sigmask(int how, const sigset_t *restrict set,
                             sigset_t *restrict old) {
  uint64_t wanted = 0;
  if (set) {
    memcpy(&wanted, set, sizeof wanted);
    if (how != SIG_UNBLOCK) wanted &= ~never_blocked();
  }
  return (int)-SYSTEM_CALL(rt_sigprocmask, how, set ? &wanted : NULL, old, KERNEL_SIGSET);
}

EXPORTED int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  const int error = pthread_sigmask(how, set, old);
  if (error) errno = error;
  return error ? -1 : 0;
}
