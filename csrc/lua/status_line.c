/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows a slow operation on the terminal, for Lua. A thread of its own writes the line,
 * so the operation needs no calls for it.
 */
#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lua/module.h"

#define GP_STATUS_LINE "gprof.status_line"

typedef struct status_line {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool running;                 /* there is a thread */
  bool stop;
  double delay;                 /* seconds until the line appears */
  char text[200];
} status_line;

/* The line is updated after this many seconds. */
static const double INTERVAL = 1;

static void put(const char *text, size_t length) {
  ssize_t written = write(STDERR_FILENO, text, length);
  (void)written;  /* the line is not important */
}

/* Waits until the end of the line, or for some seconds. Returns whether it is the end. */
static bool wait_for_end(status_line *s, double seconds) {
  struct timespec until;
  int problem = 0;
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  long nanoseconds = until.tv_nsec + (long)((seconds - (double)(long)seconds) * 1e9);
  until.tv_sec += (time_t)seconds + nanoseconds / 1000000000;
  until.tv_nsec = nanoseconds % 1000000000;
  while (!s->stop && problem == 0)
    problem = pthread_cond_timedwait(&s->ended, &s->lock, &until);
  return s->stop;
}

static void *show(void *argument) {
  status_line *s = argument;
  int width = 0;
  (void)pthread_mutex_lock(&s->lock);
  double passed = s->delay;
  while (!wait_for_end(s, width > 0 ? INTERVAL : s->delay)) {
    char line[sizeof s->text + 32];
    width = snprintf(line, sizeof line, "\r%s: %.0f s", s->text, passed);
    put(line, (size_t)width);
    passed += INTERVAL;
  }
  if (width > 0) {
    char blanks[sizeof s->text + 32];
    int length = snprintf(blanks, sizeof blanks, "\r%*s\r", width - 1, "");
    put(blanks, (size_t)length);
  }
  (void)pthread_mutex_unlock(&s->lock);
  return NULL;
}

/* Starts the thread, in which no signals are handled. Without one, there is no line. */
static void start(status_line *s) {
  sigset_t all, before;
  pthread_condattr_t clock;
  (void)pthread_mutex_init(&s->lock, NULL);
  (void)pthread_condattr_init(&clock);
  (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&s->ended, &clock);
  (void)pthread_condattr_destroy(&clock);
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  s->running = pthread_create(&s->thread, NULL, show, s) == 0;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* status_line(text, delay) -> a line that appears after some seconds; line:finish() and
 * the end of the scope of a <close> variable clear it. `text` has no control
 * characters. */
static int new_status_line(lua_State *L) {
  const char *text = luaL_checkstring(L, 1);
  lua_Number delay = luaL_checknumber(L, 2);
  status_line *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (status_line){.delay = delay};
  (void)snprintf(s->text, sizeof s->text, "%s", text);
  start(s);
  luaL_setmetatable(L, GP_STATUS_LINE);
  return 1;
}

static int finish(lua_State *L) {
  status_line *s = luaL_checkudata(L, 1, GP_STATUS_LINE);
  if (!s->running) return 0;
  (void)pthread_mutex_lock(&s->lock);
  s->stop = true;
  (void)pthread_cond_signal(&s->ended);
  (void)pthread_mutex_unlock(&s->lock);
  (void)pthread_join(s->thread, NULL);
  s->running = false;
  return 0;
}

void gp_define_status_line(lua_State *L) {
  static const luaL_Reg meta[] = {{"__close", finish}, {"__gc", finish}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"finish", finish}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"status_line", new_status_line}, {NULL, NULL}};
  luaL_newmetatable(L, GP_STATUS_LINE);
  luaL_setfuncs(L, meta, 0);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
