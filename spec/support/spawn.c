/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs programs for specs (see shell.lua). Specs start thousands of them, and this takes
 * half the time of os.execute with temporary files, which runs a shell first. */
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Seconds until SIGKILL, and the status: those of timeout(1). */
enum { GRACE = 2, TIMED_OUT = 124 };

typedef struct command {
  char **argv, **environment;
  const char *directory, *input;  /* the directory may be NULL */
  int output[2];                  /* files for standard output and standard error */
  time_t limit;                   /* seconds; 0 for none */
} command;

/* --- processes -------------------------------------------------------------- */

/* Starts a program with the signal mask `mask`. No signal is ignored, not even those that
 * a shell ignores for commands in the background. With a limit, the program leads a
 * process group, so that its children can be ended, too. Returns 0 or an errno value. */
static int start(const command *c, const sigset_t *mask, pid_t *process) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, c->input, O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, c->output[0], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, c->output[1], STDERR_FILENO);
  if (c->directory) posix_spawn_file_actions_addchdir_np(&files, c->directory);
  posix_spawnattr_setsigmask(&attributes, mask);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (c->limit ? POSIX_SPAWN_SETPGROUP : 0);
  posix_spawnattr_setflags(&attributes, (short)flags);
  int failed = posix_spawnp(process, *c->argv, &files, &attributes, c->argv,
                            c->environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

/* Whether a child ends within this time, or longer if other children end. SIGCHLD is
 * blocked. */
static bool ends_within(time_t seconds, pid_t process, int *status) {
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  const struct timespec time = {.tv_sec = seconds};
  while (waitpid(process, status, WNOHANG) == 0)
    if (sigtimedwait(&ended, NULL, &time) < 0 && errno == EAGAIN) return false;
  return true;
}

/* Waits until a child ends. Returns its status, as waitpid does; *timed_out says whether
 * it has reached the limit. SIGCHLD is blocked. */
static int await(pid_t process, time_t limit, bool *timed_out) {
  int status = 0;
  *timed_out = limit && !ends_within(limit, process, &status);
  if (limit && !*timed_out) return status;
  if (*timed_out) {
    kill(-process, SIGTERM);
    if (ends_within(GRACE, process, &status)) return status;
    kill(-process, SIGKILL);
  }
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

/* Runs a program to its end. Returns 0 or an errno value. */
static int run_command(const command *c, int *status, bool *timed_out) {
  sigset_t children, mask;
  pid_t process;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &mask);
  int failed = start(c, &mask, &process);
  if (!failed) *status = await(process, c->limit, timed_out);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return failed;
}

/* --- Lua -------------------------------------------------------------------- */

/* Pushes an array of the strings in the table at `index`, which keeps them alive. */
static char **push_strings(lua_State *L, int index) {
  lua_Integer count = luaL_len(L, index);
  char **strings = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *strings, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    luaL_argcheck(L, lua_rawgeti(L, index, i) == LUA_TSTRING, index, "strings expected");
    strings[i - 1] = (char *)lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  strings[count] = NULL;
  return strings;
}

/* Pushes what a program has written to a file in memory, and closes the file. */
static void push_output(lua_State *L, int file) {
  struct stat status = {0};
  luaL_Buffer buffer;
  fstat(file, &status);
  size_t size = (size_t)status.st_size;
  char *bytes = luaL_buffinitsize(L, &buffer, size);
  ssize_t got = size ? pread(file, bytes, size, 0) : 0;
  close(file);
  luaL_pushresultsize(&buffer, got < 0 ? 0 : (size_t)got);
}

/* run(argv, environment, input, directory, limit) -> standard output; standard error;
 * "exit" and the status, or "signal" and its number. Returns nil and a message if the
 * program cannot be started. `environment` is an array of "NAME=VALUE". The program is
 * killed after `limit` seconds, if that is not 0, and the status is 124. */
static int run(lua_State *L) {
  int status = 0;
  bool timed_out = false;
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  command c = {.input = luaL_checkstring(L, 3), .directory = luaL_optstring(L, 4, NULL),
               .limit = (time_t)luaL_optinteger(L, 5, 0)};
  c.argv = push_strings(L, 1);
  c.environment = push_strings(L, 2);
  for (int i = 0; i < 2; i++) c.output[i] = memfd_create("output", MFD_CLOEXEC);
  int failed = run_command(&c, &status, &timed_out);
  push_output(L, c.output[0]);
  push_output(L, c.output[1]);
  if (failed) {
    luaL_pushfail(L);
    lua_pushstring(L, strerror(failed));
    return 2;
  }
  bool signalled = WIFSIGNALED(status) && !timed_out;
  lua_pushstring(L, signalled ? "signal" : "exit");
  lua_pushinteger(L, timed_out ? TIMED_OUT
                               : signalled ? WTERMSIG(status) : WEXITSTATUS(status));
  return 4;
}

/* environment() -> array of "NAME=VALUE" */
static int environment(lua_State *L) {
  lua_newtable(L);
  for (lua_Integer i = 0; environ[i]; i++) {
    lua_pushstring(L, environ[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* mkdir(path) -> whether the directory was made */
static int make_directory(lua_State *L) {
  lua_pushboolean(L, mkdir(luaL_checkstring(L, 1), 0777) == 0);
  return 1;
}

int luaopen_spawn(lua_State *L) {
  static const luaL_Reg functions[] = {{"run", run}, {"environment", environment},
                                       {"mkdir", make_directory}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
