/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/c_library.h"
#include "runtime/clocks.h"
#include "runtime/fatal.h"
#include "runtime/linux.h"
#include "runtime/profile.h"
#include "runtime/recorder.h"
#include "runtime/requests.h"
#include "runtime/sampling.h"
#include "runtime/stacks.h"

/* --- ends of the program ---------------------------------------------------- */

static _Noreturn void end(int status) {
  rec_write_profile();
  for (;;) SYSTEM_CALL(exit_group, status, 0, 0, 0);
}

EXPORTED void _exit(int status) { end(status); }

EXPORTED void _Exit(int status) { end(status); }

/* --- actions of signals ----------------------------------------------------- */

/* Whether a signal is one of the recorder's. The program sees the default action for such
 * a signal. */
static bool is_own(int number) {
  if (number == SIGTRAP) return rec_uses_events();
  return number != 0 && (number == rec_tick_signal || number == rec_user_signal);
}

/* Leaves one of the recorder's signals to the program. */
static void give_way(int number) {
  if (number == rec_tick_signal) {
    rec_end_sampling();
    rec_end_requests();
  }
  if (number == rec_user_signal) rec_end_user_signal();
  if (number == SIGTRAP) rec_end_events();
}

/* If the program sets an action for one of the recorder's signals, the recorder stops
 * using the signal, unless both can use it. */
EXPORTED int sigaction(int number, const struct sigaction *action,
                       struct sigaction *old) {
  if (!is_own(number)) return rec_set_action(number, action, old);
  struct sigaction wanted;  /* *action, which may be *old */
  if (action) wanted = *action;
  if (old) memset(old, 0, sizeof *old);
  if (old && number == SIGTRAP) *old = rec_trap_action();
  if (!action || (number == SIGTRAP && rec_share_trap(&wanted))) return 0;
  if (wanted.sa_handler == SIG_DFL) return 0;
  give_way(number);
  return rec_set_action(number, &wanted, NULL);
}

static void (*set_handler(int number, void (*handler)(int), unsigned flags))(int) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = (int)flags}, old;
  sigemptyset(&action.sa_mask);
  if (!(flags & SA_NODEFER)) sigaddset(&action.sa_mask, number);
  if (handler == SIG_ERR) errno = EINVAL;
  return handler == SIG_ERR || sigaction(number, &action, &old) != 0 ? SIG_ERR
                                                                     : old.sa_handler;
}

EXPORTED void (*signal(int number, void (*handler)(int)))(int) {
  return set_handler(number, handler, SA_RESTART);
}

/* The function that signal() calls in programs compiled for older standards. */
EXPORTED void (*__sysv_signal(int number, void (*handler)(int)))(int) {
  return set_handler(number, handler, SA_RESETHAND | SA_NODEFER);
}

/* Hides the alternate stack that the recorder gives to a thread without one, or with one
 * that is too small. Makes the next recorded call look up its stack, because the new
 * alternate stack may lie within the thread's own stack. */
EXPORTED int sigaltstack(const stack_t *restrict new, stack_t *restrict old) {
  stack_t before;
  const uint64_t mask = block_signals(); /* the new stack may be too small for one */
  const long failed = SYSTEM_CALL(sigaltstack, new, &before, 0, 0);
  if (new && rec_own) leave_window(rec_own);
  if (failed == 0) rec_hide_alternate_stack(&before);
  if (failed == 0 && new) rec_replace_alternate_stack(new);
  restore_signals(mask);
  if (failed == 0 && old) *old = before;
  if (failed) errno = (int)-failed;
  return failed ? -1 : 0;
}

/* --- signal masks ----------------------------------------------------------- */

/* Signals that a program must not block: glibc's own, and the recorder's. */
static uint64_t never_blocked(void) {
  return signal_bit(32) | signal_bit(33) | signal_bit(rec_user_signal) |
         rec_sampling_signals();
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
