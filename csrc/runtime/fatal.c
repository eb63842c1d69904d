/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/fatal.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "runtime/c_library.h"
#include "runtime/clocks.h"
#include "runtime/linux.h"
#include "runtime/profile.h"

/* Signals that the recorder does not handle: their default action does not end the
 * program, they cannot be handled, or they belong to the C library. */
#define BIT(number) (UINT64_C(1) << ((number)-1))
#define OTHERS                                                                     \
  (BIT(SIGKILL) | BIT(SIGSTOP) | BIT(SIGCHLD) | BIT(SIGCONT) | BIT(SIGTSTP) |      \
   BIT(SIGTTIN) | BIT(SIGTTOU) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(32) | BIT(33))

static bool catching;

/* By signal: the program's action, if the recorder's handler calls its handler. */
static struct sigaction wrapped[65];

static void write_and_end(int number, siginfo_t *info, void *context);

static int set_own_action(int number, struct sigaction *old) {
  struct sigaction action = {.sa_sigaction = write_and_end,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  return __sigaction(number, &action, old);
}

/* Writes the profile, and sends the same signal to this thread again. The signal arrives
 * when the handler returns, so a core file has the registers of the interrupted code. */
static void write_and_end(int number, siginfo_t *info, void *context) {
  (void)context;
  const int saved = errno;
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  rec_write_profile();
  __sigaction(number, &standard, NULL);
  send_again(number, info);
  errno = saved;
}

/* Handles SIGABRT: if the program's handler returns to abort(), that ends the program. */
static void call_before_end(int number, siginfo_t *info, void *context) {
  wrapped[number].sa_sigaction(number, info, context);
  const int saved = errno;
  rec_write_profile();
  rec_go_on(); /* if abort() did not raise the signal */
  errno = saved;
}

/* Handles a signal with SA_RESETHAND: restores the recorder's action, which the program
 * sees as the default action, and calls the program's handler. */
static void call_once(int number, siginfo_t *info, void *context) {
  set_own_action(number, NULL);
  if (number == SIGABRT)
    call_before_end(number, info, context);
  else
    wrapped[number].sa_sigaction(number, info, context);
}

static bool is_fatal(int number) {
  return number > 0 && number <= 64 && !(OTHERS & BIT(number));
}

void rec_catch_signals(void) {
  struct sigaction present;
  catching = true;
  rec_real_trap = write_and_end; /* while SIGTRAP takes samples */
  for (int number = 1; number <= 64; number++)
    if (is_fatal(number) && __sigaction(number, NULL, &present) == 0 &&
        present.sa_handler == SIG_DFL)
      set_own_action(number, NULL);
}

void rec_leave_signals(void) {
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  struct sigaction present;
  catching = false;
  for (int number = 1; number <= 64; number++)
    if (is_fatal(number) && __sigaction(number, NULL, &present) == 0 &&
        present.sa_sigaction == write_and_end)
      __sigaction(number, &standard, NULL);
}

/* Sets the program's action for a fatal signal. */
static int set_action(int number, const struct sigaction *action,
                      struct sigaction *before) {
  if (action->sa_handler == SIG_DFL) return set_own_action(number, before);
  const bool once = action->sa_flags & (int)SA_RESETHAND;
  if (action->sa_handler == SIG_IGN || !(once || number == SIGABRT))
    return __sigaction(number, action, before);
  struct sigaction outer = *action;
  outer.sa_sigaction = once ? call_once : call_before_end;
  outer.sa_flags = (outer.sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
  wrapped[number] = *action;
  return __sigaction(number, &outer, before);
}

int rec_set_action(int number, const struct sigaction *action, struct sigaction *old) {
  if (!catching || !is_fatal(number)) return __sigaction(number, action, old);
  const struct sigaction earlier = wrapped[number];
  struct sigaction before;
  const int failed = action ? set_action(number, action, &before)
                            : __sigaction(number, NULL, &before);
  if (failed || !old) return failed;
  *old = before;
  if (before.sa_sigaction == call_once || before.sa_sigaction == call_before_end)
    *old = earlier;
  if (before.sa_sigaction == write_and_end) memset(old, 0, sizeof *old);
  return 0;
}
