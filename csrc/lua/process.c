/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Child processes for Lua; also a clock and the processor count, for parallel work. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/parallel.h"
#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_PROCESS "gprof.process"

/* --- processes --------------------------------------------------------------- */

typedef struct process_box {
  pid_t parent;           /* only the parent may wait: its other children inherit copies
                             of the box */
  pid_t process;          /* 0 after it was waited for */
} process_box;

static process_box *check_process(lua_State *L) {
  process_box *box = luaL_checkudata(L, 1, GP_PROCESS);
  luaL_argcheck(L, box->process > 0 && box->parent == getpid(), 1,
                "not a running child process");
  return box;
}

/* Runs in the child. Makes the kernel end the child when its parent ends, and redirects
 * the child's standard output to `output`. */
static void set_up_child(pid_t parent, int output) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0) _exit(1);
}

/* fork(output) -> process in the parent; false in the child, whose standard output is
 * `output`; or nil and a message */
static int new_process(lua_State *L) {
  const luaL_Stream *output = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  luaL_argcheck(L, output->closef, 1, "file is closed");
  process_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (process_box){.parent = getpid()};
  luaL_setmetatable(L, GP_PROCESS);
  fflush(NULL);  /* otherwise both processes would write buffered output */
  pid_t process = fork();
  if (process < 0) return gp_push_system_failure(L, "cannot start a process");
  if (process == 0) {
    set_up_child(box->parent, fileno(output->f));
    lua_pushboolean(L, false);
  }
  box->process = process;
  return 1;
}

/* become(path, argument): runs a program in place of this process, a child. Returns a
 * message and an errno value if that fails. The program gets a process group of its own:
 * an interrupt of the group ends the parent, and thereby the child, even if the program
 * handles interrupts in its own way. */
static int become(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *argument = luaL_checkstring(L, 2);
  setpgid(0, 0);
  execl(path, path, argument, (char *)NULL);
  int error = errno;
  lua_pushstring(L, strerror(error));
  lua_pushinteger(L, error);
  return 2;
}

/* Waits until the process ends. Sets *status as waitpid does. Returns 0 or an errno
 * value: the status is lost if this process ignores SIGCHLD. */
static int reap(process_box *box, int *status) {
  pid_t found;
  while ((found = waitpid(box->process, status, 0)) < 0 && errno == EINTR) continue;
  box->process = 0;
  return found < 0 ? errno : 0;
}

/* process:wait() -> "exit" and the exit status; or "signal" and the signal number */
static int wait_for(lua_State *L) {
  int status, failed = reap(check_process(L), &status);
  if (failed) return luaL_error(L, "cannot wait for a process: %s", strerror(failed));
  bool signalled = WIFSIGNALED(status);
  lua_pushstring(L, signalled ? "signal" : "exit");
  lua_pushinteger(L, signalled ? WTERMSIG(status) : WEXITSTATUS(status));
  return 2;
}

/* process:terminate(): sends SIGTERM */
static int terminate(lua_State *L) {
  kill(check_process(L)->process, SIGTERM);
  return 0;
}

/* process:close(): terminates the process, unless wait() has returned */
static int discard(lua_State *L) {
  process_box *box = luaL_checkudata(L, 1, GP_PROCESS);
  if (box->process <= 0 || box->parent != getpid()) return 0;
  int status;
  kill(box->process, SIGTERM);
  reap(box, &status);
  return 0;
}

/* set_program_signals(): makes SIGINT end the process at once. The interpreter's handler
 * would raise a Lua error instead, and only after a running C function returns. Ignores
 * SIGXFSZ, so that reaching a limit on file sizes is a write error with a message. Does
 * not ignore SIGCHLD, even if our parent does: the status of children would be lost. */
static int set_program_signals(lua_State *L) {
  (void)L;
  signal(SIGINT, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  return 0;
}

/* ignore_pager_signals(): ignores SIGINT and SIGPIPE while a pager reads our output. An
 * interrupt is meant for the pager, and quitting the pager early is not an error. */
static int ignore_pager_signals(lua_State *L) {
  (void)L;
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  return 0;
}

/* --- clock and machine --------------------------------------------------------- */

/* clock() -> monotonic time in seconds */
static int read_clock(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (lua_Number)now.tv_sec + (lua_Number)now.tv_nsec / 1e9);
  return 1;
}

/* time() -> nanoseconds since 1970, by the clock of context profiles */
static int read_time(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  lua_pushinteger(L, (lua_Integer)now.tv_sec * 1000000000 + now.tv_nsec);
  return 1;
}

/* processors() -> number of processors that this process may use */
static int count_processors(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)gp_processors());
  return 1;
}

void gp_define_process(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", discard}, {"__close", discard}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"wait", wait_for}, {"terminate", terminate}, {"close", discard}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"fork", new_process}, {"become", become},
      {"clock", read_clock},    {"time", read_time},
      {"processors", count_processors},
      {"set_program_signals", set_program_signals},
      {"ignore_pager_signals", ignore_pager_signals}, {NULL, NULL}};
  gp_define_object(L, GP_PROCESS, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
