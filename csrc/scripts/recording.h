/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is recorded of a Lua state. */
#ifndef GPROF_SCRIPTS_RECORDING_H
#define GPROF_SCRIPTS_RECORDING_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "scripts/call_paths.h"
#include "scripts/coroutine_stacks.h"
#include "scripts/functions.h"
#include "scripts/hook_code.h"

enum { SCR_OWN = 4 };

typedef struct scr_recording {
  scr_paths paths;
  scr_functions functions;
  scr_closures *closures;       /* while the state is being recorded */
  scr_sites *sites;             /* theirs; NULL: not used */
  scr_stacks stacks;
  lua_State *volatile running;  /* the coroutine that runs; see scr_set_running */
  scr_stack *stack;             /* its stack, if it has had an event */
  const scr_resume *resumed;    /* without counts: the call that resumed it */
  const void *registry;         /* identifies the state */
  const void *thread;           /* identifies the one that is recorded; NULL: none */
  volatile bool active;
  int events;                   /* for which the hook is called, but for ticks; 0 if
                                   calls are not counted */
  bool with_c;                  /* the C recorder has the call paths: see mixed.h */
  bool is_paused;               /* with C functions: it has more of this recording */
  volatile bool in_hook;        /* the hook runs; see scr_leave_hook */
  volatile int held_signal;     /* the signal that came meanwhile; 0: none */
  lua_Hook hook;                /* scr_hook */
  lua_CFunction own[SCR_OWN];   /* those for zones, which belong to their callers */
  size_t loaded;                /* paths when the program had loaded a recorder, or 0 */
  bool awaits_program;          /* see scr_catch_interrupts */
  bool displaced;               /* the program set a hook of its own */
  bool removed;                 /* it removed that of the recording */
  bool interrupted;             /* for a while; or a coroutine had a hook of its own */
  bool out_of_memory;           /* and has ended */
  bool abandoned;               /* all else is freed, but that thread refers to it */

  unsigned char *profile;       /* with C functions: the context profile of the process */
  size_t profile_size;          /* 0: it could not be taken */

  pid_t process;                /* that started the recording */
  const volatile unsigned char *collector;    /* of the state: see collector.h */
  uint64_t pending;             /* ticks that belong to no line yet; atomic */
  uint64_t collected;           /* those of them in the collector; atomic */
  uint64_t signals, ticks;
  uint64_t inside;              /* ticks of the hook, and of calling it */
  scr_hook_code hook_code;      /* where ticks are the recorder's */
  uint64_t cpu;                 /* processor time, in nanoseconds */
  uint64_t began, ended;        /* nanoseconds since 1970 */
  int period;                   /* instructions for a tick; 0: the timer gives ticks */
  uint64_t rest_begin, rest;    /* processor time of the thread, and nanoseconds from then
                                   on in which ticks set no count hook */
  timer_t timer;
  bool has_timer;
} scr_recording;

/* The recording of this thread; NULL if there is none. The model makes access fast; a
 * library that is loaded at run time may have a few such variables. */
extern _Thread_local scr_recording *scr_current
    __attribute__((tls_model("initial-exec")));

/* The hook of a state that is recorded. */
void scr_hook(lua_State *L, lua_Debug *ar);

/* Raises the signal that came while the hook ran. */
void scr_raise_held(scr_recording *r);

/* Ends what began when `in_hook` was set. The interpreter's handler of SIGINT sets a hook
 * in place of the recorder's, which may be setting its own one just then: so a SIGINT
 * waits until now. */
static inline void scr_leave_hook(scr_recording *r) {
  r->in_hook = false;
  if (r->held_signal != 0) scr_raise_held(r);
}

/* Sets the hook for all events of a recording. */
void scr_set_hook(const scr_recording *r, lua_State *L);

/* Sets it in a coroutine that is not running, unless it has a hook of the program. It may
 * have that of a former recording. */
void scr_give_hook(scr_recording *r, lua_State *co);

/* Whether a thread records the state. */
bool scr_is_recorded(lua_State *L);

/* Returns the last recording of the state, if that has ended, and may continue; otherwise
 * NULL. */
scr_recording *scr_ended_recording(lua_State *L);

/* Sets it, or forgets it: NULL. The state is not recorded then. */
void scr_set_ended(lua_State *L, scr_recording *r);

/* Sets the coroutine that runs, and keeps it from being collected, because the timer's
 * handler uses it. Returns whether it is the main one. Only the first time allocates
 * memory. */
bool scr_set_running(scr_recording *r, lua_State *L);

/* Ends a recording for lack of memory. */
void scr_fail(scr_recording *r);

/* The number of frames of a coroutine, at most SCR_MOST_FRAMES. The outer ones of a
 * deeper stack are left out, because the time to find a frame grows with the depth. */
enum { SCR_MOST_FRAMES = 128 };
int scr_depth_of(lua_State *L);

/* Adds the call path of the running coroutine, without the innermost `skipped` functions.
 * Returns its context, and sets *line to the line that it executes. SCR_NONE if there is
 * no memory; SCR_START if only functions of the host are left. */
uint32_t scr_sampled_context(scr_recording *r, lua_State *L, int skipped,
                             uint32_t *line);

/* Adds ticks that found the thread at an address in the code, and sets a hook, which is
 * called for the next instruction of Lua code; and, without counts, when a function
 * begins or ends before that. Returns false if the code is that of hooks. After costly
 * samples, as those of deep stacks are, ticks wait, so that samples take at most a fifth
 * of the time. For signal handlers. */
bool scr_add_ticks(scr_recording *r, uintptr_t at, uint64_t ticks);

/* The time of a clock, in nanoseconds. */
uint64_t scr_time_of(clockid_t clock);

/* Nanoseconds of processor time until ticks set a count hook again. */
uint64_t scr_rest_left(const scr_recording *r, uint64_t now);

/* Ends a part of a sample, which began at this processor time of the thread. */
void scr_rest(scr_recording *r, uint64_t began);

/* Starts a timer that ticks `rate` times in a second of the thread's processor time.
 * Its signal sets a count hook, which is called for the next instruction of Lua
 * code. While the state runs a C function, ticks wait for the next event. Returns an
 * error number, or 0. */
int scr_start_timer(scr_recording *r, long rate);
void scr_stop_timer(scr_recording *r);

#endif
