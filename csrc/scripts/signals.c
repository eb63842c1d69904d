/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Signals that end programs by default, and that are sent to them. SIGINT is the
 * interpreter's, until it ends the program, too: see scr_catch_interrupts. */
static const int caught[] = {SIGTERM, SIGHUP,  SIGQUIT,   SIGUSR1, SIGUSR2,
                             SIGALRM, SIGPIPE, SIGVTALRM, SIGPROF, SIGXCPU};
enum { CAUGHT = sizeof caught / sizeof *caught };

enum {
  TICK = 50000000,         /* nanoseconds between looks at whether the program waits */
  MOST_TICKS = 200,        /* a program that runs C code for longer is ended without */
  REPEATED = 20,           /* ticks after which another signal ends the program at once:
                              a terminal and a parent process may both send the first */
  MOST_WORK = TICK / 20    /* processor time in a tick of a thread that waits */
};

static struct {
  scr_recording *recording;  /* NULL: signals are not caught */
  lua_State *finisher;       /* a coroutine with the function to call on its stack */
  pid_t process, thread;
  timer_t timer;
  volatile sig_atomic_t number;  /* of the signal that ends the program */
  volatile sig_atomic_t finishing;
  bool displaced;            /* the program has a hook of its own */
  struct sigaction interpreter;  /* what it does at SIGINT */
  int ticks, waited;         /* since the signal; in a row, in which the thread waited */
  uint64_t cpu;              /* of the thread, at the last tick */
  long switches;
} end;

static void end_by(int number) {
  signal(number, SIG_DFL);
  raise(number);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, number);
  pthread_sigmask(SIG_UNBLOCK, &own, NULL);
}

/* Writes the profile, in a coroutine that nothing else uses. */
static void finish(void) {
  if (end.finishing) return;
  end.finishing = true;
  if (!end.displaced)
    lua_sethook(end.recording->running, end.recording->hook, end.recording->events, 0);
  lua_pcall(end.finisher, 0, 0, 0);
  end_by(end.number);
}

static void finish_in_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  finish();
}

static void set_hook(lua_State *L) {
  lua_sethook(L, finish_in_hook,
              LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/* Whether the thread has waited since the last tick: it went to sleep, and did little
 * else. */
static bool has_waited(void) {
  const uint64_t cpu = scr_time_of(CLOCK_THREAD_CPUTIME_ID);
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  const bool waited = cpu - end.cpu < MOST_WORK && usage.ru_nvcsw > end.switches;
  end.cpu = cpu;
  end.switches = usage.ru_nvcsw;
  return waited;
}

static void on_tick(void) {
  end.ticks++;
  end.waited = has_waited() ? end.waited + 1 : 0;
  if (end.waited > 1)
    finish();
  else if (end.ticks > MOST_TICKS)
    end_by(end.number);
}

/* Whether there is another hook in place of the recorder's, or none. After SIGINT, the
 * interpreter's hook may wait for an instruction. */
static bool is_displaced(int number) {
  const lua_Hook hook = lua_gethook(end.recording->running);
  if (hook == end.recording->hook) return false;
  return hook ? number != SIGINT : end.recording->events != 0;
}

static void begin(int number) {
  end.number = number;
  end.displaced = is_displaced(number);
  has_waited();
  const struct itimerspec times = {{0, TICK}, {0, TICK}};
  timer_settime(end.timer, 0, &times, NULL);
}

/* Calls with SIGTERM of the timer are ticks. A child that the program forked ends like
 * one that is not recorded. */
static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  const int saved = errno;
  const bool is_tick = info->si_code == SI_TIMER && info->si_value.sival_ptr == &end;
  if (getpid() != end.process) {
    end_by(number);
  } else if (gettid() != end.thread) {
    tgkill(end.process, end.thread, number);
  } else if (!end.finishing) {
    if (is_tick)
      on_tick();
    else if (end.number == 0)
      begin(number);
    else if (end.ticks > REPEATED)
      end_by(number);
    if (!end.finishing) set_hook(end.recording->running);
  }
  errno = saved;
}

static void catch_signal(int number) {
  struct sigaction action = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

/* The signal is raised again, not passed to its handler directly, so that it is blocked
 * until on_interrupt has set the action for the next one. */
void scr_raise_held(scr_recording *r) {
  const int number = r->held_signal;
  r->held_signal = 0;
  raise(number);
}

/* The interpreter's handler has the next SIGINT end the program. */
static void interrupt(int number) {
  const bool is_recorded = getpid() == end.process && end.recording;
  if (is_recorded && gettid() != end.thread) {
    tgkill(end.process, end.thread, number);
  } else if (is_recorded && end.recording->in_hook) {
    end.recording->held_signal = number;
  } else {
    end.interpreter.sa_handler(number);
    if (is_recorded) catch_signal(number);
  }
}

static void on_interrupt(int number) {
  const int saved = errno;
  interrupt(number);
  errno = saved;
}

/* Whether the program runs, and no longer what the interpreter executes before it. */
static bool is_in_program(lua_State *L) {
  lua_Debug ar;
  const int outermost = scr_depth_of(L) - 2;  /* in Lua: the interpreter calls it */
  return outermost >= 0 && lua_getstack(L, outermost, &ar) &&
         lua_getinfo(L, "S", &ar) && strcmp(ar.source, "=(command line)") != 0;
}

void scr_catch_interrupts(scr_recording *r, lua_State *L) {
  if (!is_in_program(L)) return;
  r->awaits_program = false;
  struct sigaction present;
  if (sigaction(SIGINT, NULL, &present) != 0 || present.sa_flags & SA_SIGINFO ||
      present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN)
    return;
  end.interpreter = present;
  present.sa_handler = on_interrupt;
  sigaction(SIGINT, &present, NULL);
}

static bool has_default_action(int number) {
  struct sigaction present;
  return sigaction(number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) &&
         present.sa_handler == SIG_DFL;
}

/* The timer is made here: a handler may only set it. */
static bool make_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGTERM,
                           .sigev_value.sival_ptr = &end};
  event._sigev_un._tid = end.thread;
  return timer_create(CLOCK_MONOTONIC, &event, &end.timer) == 0;
}

void scr_catch_signals(lua_State *L, scr_recording *r) {
  lua_State *finisher = lua_newthread(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &end);
  lua_xmove(L, finisher, 1);
  end.finisher = finisher;
  end.process = getpid();
  end.thread = gettid();
  if (!make_timer()) return;
  end.recording = r;
  r->awaits_program = true;
  for (int i = 0; i < CAUGHT; i++)
    if (has_default_action(caught[i])) catch_signal(caught[i]);
}

/* Restores what was done at a signal before, unless the program has changed it. */
static void leave(int number) {
  struct sigaction present;
  if (sigaction(number, NULL, &present) != 0) return;
  if (present.sa_flags & SA_SIGINFO) {
    if (present.sa_sigaction == on_signal) signal(number, SIG_DFL);
  } else if (present.sa_handler == on_interrupt) {
    sigaction(number, &end.interpreter, NULL);
  }
}

void scr_leave_signals(const scr_recording *r) {
  if (end.recording != r || end.finishing) return;
  for (int i = 0; i < CAUGHT; i++) leave(caught[i]);
  leave(SIGINT);
  timer_delete(end.timer);
  end.recording = NULL;
  if (end.number != 0) raise(end.number);  /* it came when the program ended */
}
