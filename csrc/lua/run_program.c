/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program under the recorder, for Lua. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lua/arguments.h"
#include "lua/module.h"

extern char **environ;

/* --- signals ---------------------------------------------------------------- */

/* Signals that are sent to this process but meant for the program. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

static volatile sig_atomic_t running;  /* process id of the program */

/* Forwards a signal, unless the terminal caused it. The kernel sends a terminal's signals
 * to the whole process group, which includes the program. */
static void forward(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  if (info->si_code != SI_KERNEL) kill((pid_t)running, number);
  errno = saved;
}

/* Begins to forward all signals that are not ignored. Stores the previous actions in
 * `before`. */
static void start_forwarding(struct sigaction *before) {
  struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < FORWARDED; i++) {
    sigaction(forwarded[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(forwarded[i], &action, NULL);
  }
}

/* --- the program ------------------------------------------------------------ */

/* Starts a program, with the signal mask `mask`. Returns 0 or an errno value. SIGXFSZ,
 * which this process ignores, has its default action in the program. */
static int start(const char *path, char **argv, char **environment, const sigset_t *mask,
                 pid_t *process) {
  posix_spawnattr_t attributes;
  sigset_t standard;
  int failed = posix_spawnattr_init(&attributes);
  if (failed) return failed;
  sigemptyset(&standard);
  sigaddset(&standard, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  posix_spawnattr_setsigmask(&attributes, mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  failed = posix_spawn(process, path, NULL, &attributes, argv, environment);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

/* Returns the share of a finished process's processor time that its awaited children
 * used, from 0 to 1; 0 if it is unknown. */
static double share_of_children(pid_t process) {
  enum { BEFORE = 11, TIMES = 4 }; /* fields of the line after the name */
  char path[32], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  line[fread(line, 1, sizeof line - 1, file)] = '\0';
  (void)fclose(file);
  char *at = strrchr(line, ')');
  for (int i = 0; at && i <= BEFORE; i++) at = strchr(at + 1, ' ');
  if (!at) return 0;
  double times[TIMES]; /* in user mode and in the kernel: its own, and its children's */
  for (int i = 0; i < TIMES; i++) times[i] = (double)strtoul(at, &at, 10);
  const double children = times[2] + times[3], all = times[0] + times[1] + children;
  return all > 0 ? children / all : 0;
}

/* Waits until the program ends, forwards signals to it meanwhile, and sets *status and
 * *children as `run` does. All signals are blocked; `mask` is the mask while it waits.
 * Returns 0 or an errno value. */
static int await(pid_t process, const sigset_t *mask, int *status, double *children) {
  struct sigaction before[FORWARDED];
  running = process;
  start_forwarding(before);
  sigprocmask(SIG_SETMASK, mask, NULL);
  /* WNOWAIT keeps the process number in use until no more signals are forwarded to it */
  siginfo_t ended;
  while (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  for (int i = 0; i < FORWARDED; i++) sigaction(forwarded[i], &before[i], NULL);
  *children = share_of_children(process);
  pid_t found;
  while ((found = waitpid(process, status, 0)) < 0 && errno == EINTR) {}
  return found < 0 ? errno : 0;
}

/* Runs a program until it ends. Sets *status as waitpid does, and *children to the share
 * of its children. Returns 0 or an errno value. SIGCHLD has its default action meanwhile,
 * also in the program: if it were ignored here, the kernel would drop the status. */
static int run(const char *path, char **argv, char **environment, int *status,
               double *children) {
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  struct sigaction before;
  sigset_t all, mask;
  pid_t process;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  sigaction(SIGCHLD, &standard, &before);
  int failed = start(path, argv, environment, &mask, &process);
  if (!failed) failed = await(process, &mask, status, children);
  sigaction(SIGCHLD, &before, NULL);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return failed;
}

/* Pushes an array of the strings in the table at `index`, which keeps them alive. */
static char **push_strings(lua_State *L, int index) {
  lua_Integer count = luaL_len(L, index);
  char **strings = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *strings, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    luaL_argcheck(L, lua_rawgeti(L, index, i) == LUA_TSTRING, index, "strings expected");
    strings[i - 1] = (char *)(uintptr_t)lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  strings[count] = NULL;
  return strings;
}

/* Whether one of the settings, "NAME=VALUE", is of the same variable. */
static bool is_set(char *const *settings, const char *variable) {
  size_t length = strcspn(variable, "=") + 1;
  while (*settings && strncmp(*settings, variable, length) != 0) settings++;
  return *settings != NULL;
}

/* Pushes a copy of the environment with `settings` in place of the variables of the same
 * names. */
static char **push_environment(lua_State *L, char *const *settings) {
  size_t count = 0, used = 0;
  while (environ[count]) count++;
  for (char *const *s = settings; *s; s++) count++;
  char **copy = lua_newuserdatauv(L, (count + 1) * sizeof *copy, 0);
  for (char **variable = environ; *variable; variable++)
    if (!is_set(settings, *variable)) copy[used++] = *variable;
  while (*settings) copy[used++] = *settings++;
  copy[used] = NULL;
  return copy;
}

/* run_program(path, arguments, settings) -> "exit" or "signal"; the exit status or the
 * signal's number; the process number; and the share of the processor time that its
 * children used, from 0 to 1. On failure returns nil and a message. The first element of
 * `arguments` is the program's name; `settings` has variables for its environment,
 * "NAME=VALUE". */
static int run_program(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  char **argv = push_strings(L, 2);
  char **environment = push_environment(L, push_strings(L, 3));
  double children;
  int status, failed = run(path, argv, environment, &status, &children);
  if (failed) {
    luaL_pushfail(L);
    lua_pushstring(L, strerror(failed));
    return 2;
  }
  bool signalled = WIFSIGNALED(status);
  lua_pushstring(L, signalled ? "signal" : "exit");
  lua_pushinteger(L, signalled ? WTERMSIG(status) : WEXITSTATUS(status));
  lua_pushinteger(L, (lua_Integer)running);
  lua_pushnumber(L, children);
  return 4;
}

/* end_by_signal(number): ends this process by the signal that ended the program, but
 * without a second core file. */
static int end_by_signal(lua_State *L) {
  int number = (int)luaL_checkinteger(L, 1);
  struct rlimit none = {0, 0};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
  _exit(128 + number);
}

/* changes_user(path) -> "user" if the program file is set-user-ID or set-group-ID,
 * "capabilities" if it gives capabilities to other users than root; otherwise nil */
static int changes_user(lua_State *L) {
  struct stat status;
  const char *path = luaL_checkstring(L, 1);
  bool is_set = stat(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID));
  if (is_set)
    lua_pushliteral(L, "user");
  else if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
    lua_pushliteral(L, "capabilities");
  else
    lua_pushnil(L);
  return 1;
}

void gp_define_run_program(lua_State *L) {
  static const luaL_Reg functions[] = {{"run_program", run_program},
                                       {"end_by_signal", end_by_signal},
                                       {"changes_user", changes_user}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
