/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timer that samples a Lua state. */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "scripts/collector.h"
#include "scripts/recording.h"

static bool may_set_hook(const scr_recording *r, lua_State *L) {
  const lua_Hook hook = lua_gethook(L);
  if (hook == scr_hook) return !(lua_gethookmask(L) & LUA_MASKCOUNT);
  return !hook && r->events == 0;
}

/* lua_sethook visits all frames of the stack: for a deep one, this takes longer than the
 * period of the timer. */
bool scr_add_ticks(scr_recording *r, uintptr_t at, uint64_t ticks) {
  if (scr_is_hook_code(&r->hook_code, at)) return false;
  if (scr_collects(r->collector))
    __atomic_fetch_add(&r->collected, ticks, __ATOMIC_RELAXED);
  __atomic_fetch_add(&r->pending, ticks, __ATOMIC_RELAXED);
  lua_State *L = r->running;
  const uint64_t began = scr_time_of(CLOCK_THREAD_CPUTIME_ID);
  if (scr_rest_left(r, began) > 0 || !may_set_hook(r, L)) return true;
  /* Without counts, the hook is also called when functions begin and end, and removed
   * at the first event: so time in a C function is known as such. */
  lua_sethook(L, scr_hook,
              LUA_MASKCOUNT | (r->events ? r->events : LUA_MASKCALL | LUA_MASKRET), 1);
  scr_rest(r, began);
  return true;
}

/* Returns the address of the code that a signal has interrupted; 0 if it is not known. */
static uintptr_t interrupted(const ucontext_t *context) {
#if defined __x86_64__
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
  return context->uc_mcontext.pc;
#else
  return (void)context, 0;
#endif
}

static void take_tick(int number, siginfo_t *info, void *context) {
  (void)number;
  scr_recording *r = scr_current;
  if (!r || !r->active || info->si_code != SI_TIMER) return;
  const uint64_t ticks = 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0);
  r->signals++;
  if (r->in_hook || !scr_add_ticks(r, interrupted(context), ticks)) r->inside += ticks;
}

/* Returns a real-time signal that has no action, or this one; 0 if there is none. */
static int free_signal(void) {
  struct sigaction present;
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--) {
    if (sigaction(number, NULL, &present) != 0) continue;
    const bool detailed = present.sa_flags & SA_SIGINFO;
    if (detailed ? present.sa_sigaction == take_tick : present.sa_handler == SIG_DFL)
      return number;
  }
  return 0;
}

static struct timespec period_of(long rate) {
  return (struct timespec){rate == 1, rate == 1 ? 0 : 1000000000 / rate};
}

int scr_start_timer(scr_recording *r, long rate) {
  const int number = free_signal();
  if (number == 0) return EAGAIN;
  struct sigaction action = {.sa_sigaction = take_tick,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  if (sigaction(number, &action, NULL) != 0) return errno;
  sigset_t own;  /* the parent process may have blocked all signals */
  sigemptyset(&own);
  sigaddset(&own, number);
  pthread_sigmask(SIG_UNBLOCK, &own, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
  event._sigev_un._tid = gettid();
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &r->timer) != 0) return errno;
  r->has_timer = true;
  const struct itimerspec times = {period_of(rate), period_of(rate)};
  return timer_settime(r->timer, 0, &times, NULL) == 0 ? 0 : errno;
}

void scr_stop_timer(scr_recording *r) {
  if (r->has_timer) timer_delete(r->timer);
  r->has_timer = false;
}
