/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes for Lua, and what of clock and machine it takes to divide work among them. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_PROCESS "gprof.process"

/* --- processes --------------------------------------------------------------- */

typedef struct process_box {
  pid_t parent;           /* who may wait for it: not its siblings, which have copies */
  pid_t process;          /* 0 once it was waited for */
} process_box;

static process_box *check_process(lua_State *L) {
  process_box *box = luaL_checkudata(L, 1, GP_PROCESS);
  luaL_argcheck(L, box->process > 0 && box->parent == getpid(), 1, "process is gone");
  return box;
}

/* The child ends with its parent, whatever ends that; and writes to `output`. */
static void settle_child(pid_t parent, int output) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0) _exit(1);
}

/* fork(output) -> a new process; false in that process itself, where the file is standard
 * output; or nil and a message */
static int new_process(lua_State *L) {
  const luaL_Stream *output = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  luaL_argcheck(L, output->closef, 1, "file is closed");
  process_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (process_box){.parent = getpid()};
  luaL_setmetatable(L, GP_PROCESS);
  fflush(NULL);  /* or the child would write it once more */
  pid_t process = fork();
  if (process < 0) return gp_push_system_failure(L, "no process can be started");
  if (process == 0) {
    settle_child(box->parent, fileno(output->f));
    lua_pushboolean(L, false);
  }
  box->process = process;
  return 1;
}

/* Waits until a process has ended; its status as of waitpid. */
static int reap(process_box *box) {
  int status = 0;
  while (waitpid(box->process, &status, 0) < 0 && errno == EINTR) continue;
  box->process = 0;
  return status;
}

/* process:wait() -> "exit" and its status, or "signal" and the number of what ended it */
static int wait_for(lua_State *L) {
  int status = reap(check_process(L));
  bool signalled = WIFSIGNALED(status);
  lua_pushstring(L, signalled ? "signal" : "exit");
  lua_pushinteger(L, signalled ? WTERMSIG(status) : WEXITSTATUS(status));
  return 2;
}

/* process:terminate() asks it to end */
static int terminate(lua_State *L) {
  kill(check_process(L)->process, SIGTERM);
  return 0;
}

/* process:close(): one that nobody waited for does not go on alone. */
static int discard(lua_State *L) {
  process_box *box = luaL_checkudata(L, 1, GP_PROCESS);
  if (box->process <= 0 || box->parent != getpid()) return 0;
  kill(box->process, SIGTERM);
  reap(box);
  return 0;
}

/* end_by_interrupt(): from here on an interrupt ends the process at once. An interpreter
 * would make an error of it, and only when its own code goes on. */
static int end_by_interrupt(lua_State *L) {
  (void)L;
  signal(SIGINT, SIG_DFL);
  return 0;
}

/* leave_to_reader(): from here on somebody at the terminal deals with another process,
 * which reads what this one writes. An interrupt is meant for that; and if it ends early
 * there is nobody to write to, which is no reason to be ended. */
static int leave_to_reader(lua_State *L) {
  (void)L;
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  return 0;
}

/* --- clock and machine --------------------------------------------------------- */

/* clock() -> seconds since some moment */
static int read_clock(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (lua_Number)now.tv_sec + (lua_Number)now.tv_nsec / 1e9);
  return 1;
}

/* processors() -> how many this process may run on */
static int count_processors(lua_State *L) {
  cpu_set_t set;
  bool known = sched_getaffinity(0, sizeof set, &set) == 0;
  long count = known ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  lua_pushinteger(L, count > 0 ? count : 1);
  return 1;
}

void gp_define_process(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", discard}, {"__close", discard}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"wait", wait_for}, {"terminate", terminate}, {"close", discard}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"fork", new_process},
      {"clock", read_clock},    {"processors", count_processors},
      {"end_by_interrupt", end_by_interrupt},
      {"leave_to_reader", leave_to_reader}, {NULL, NULL}};
  gp_define_object(L, GP_PROCESS, gp_get_field, meta, methods);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
