/*
 * measure: runs a command several times, discards its output, and prints the cost of each run.
 *
 *   measure [-n RUNS] [-t SECONDS] [-e FILE] COMMAND [ARGUMENT...]
 *
 * prints one line per run:
 *
 *   wall=SECONDS user=SECONDS system=SECONDS rss=KIBIBYTES minor=FAULTS major=FAULTS END
 *
 * END is exit=STATUS, signal=NUMBER, or timeout=SECONDS if the run was killed at the time
 * limit.  -e writes the standard error of the last run to FILE.
 *
 * A child's peak memory (ru_maxrss) starts with its parent's memory at the time of the
 * fork. So this program keeps its own memory small, and starts commands with posix_spawn,
 * which does not copy that memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { FAILED = 125 };  /* exit status if measuring itself fails */

typedef struct {
  double wall;            /* seconds from spawning to reaping */
  struct rusage usage;    /* the command's and its waited-for children's */
  int status;             /* from wait4 */
  int timed_out;          /* nonzero: killed at the time limit */
  int interrupted;        /* nonzero: the signal that told this program to stop */
} Run;

static void fail (const char *what, int error) {
  fprintf(stderr, "measure: %s: %s\n", what, strerror(error));
  exit(FAILED);
}

static struct timespec now (void) {
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) fail("clock_gettime", errno);
  return t;
}

static double seconds (struct timespec from, struct timespec to) {
  return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static double timeval_seconds (struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Signals that are blocked and waited for: the end of the child, and requests to stop. */
static sigset_t awaited (void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

/* Starts the command in a process group of its own, so that it can be killed with its children. */
static pid_t start (char **command, const char *errors) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  pid_t pid;
  int error;
  sigemptyset(&none);
  if ((error = posix_spawn_file_actions_init(&files)) != 0
      || (error = posix_spawnattr_init(&attributes)) != 0
      || (error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)) != 0
      || (error = posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0)) != 0
      || (error = posix_spawn_file_actions_addopen(&files, 2, errors,
                                                   O_WRONLY | O_CREAT | O_TRUNC, 0666)) != 0
      || (error = posix_spawnattr_setsigmask(&attributes, &none)) != 0
      || (error = posix_spawnattr_setpgroup(&attributes, 0)) != 0
      || (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK
                                                        | POSIX_SPAWN_SETPGROUP)) != 0)
    fail("cannot prepare a process", error);
  if ((error = posix_spawnp(&pid, command[0], &files, &attributes, command, environ)) != 0)
    fail(command[0], error);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return pid;
}

static int reap (pid_t pid, int options, Run *run) {
  pid_t got;
  do got = wait4(pid, &run->status, options, &run->usage); while (got < 0 && errno == EINTR);
  if (got < 0) fail("wait4", errno);
  return got == pid;
}

/* Waits until the child ends, at most `limit` seconds (0: no limit). */
static void await (pid_t pid, struct timespec begin, long limit, Run *run) {
  sigset_t set = awaited();
  while (!reap(pid, WNOHANG, run)) {
    double left = (double)limit - seconds(begin, now());
    int signal_number;
    if (limit != 0 && left <= 0) {
      run->timed_out = 1;
    } else if (limit != 0) {
      struct timespec t;
      t.tv_sec = (time_t)left;
      t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
      signal_number = sigtimedwait(&set, NULL, &t);
      if (signal_number > 0 && signal_number != SIGCHLD) run->interrupted = signal_number;
    } else {
      signal_number = sigwaitinfo(&set, NULL);
      if (signal_number > 0 && signal_number != SIGCHLD) run->interrupted = signal_number;
    }
    if (run->timed_out || run->interrupted) {
      kill(-pid, SIGKILL);
      reap(pid, 0, run);
      return;
    }
  }
}

static void report (const Run *run, long limit) {
  printf("wall=%.6f user=%.6f system=%.6f rss=%ld minor=%ld major=%ld ", run->wall,
         timeval_seconds(run->usage.ru_utime), timeval_seconds(run->usage.ru_stime),
         run->usage.ru_maxrss, run->usage.ru_minflt, run->usage.ru_majflt);
  if (run->timed_out) printf("timeout=%ld\n", limit);
  else if (WIFSIGNALED(run->status)) printf("signal=%d\n", WTERMSIG(run->status));
  else printf("exit=%d\n", WEXITSTATUS(run->status));
  if (fflush(stdout) != 0) fail("standard output", errno);
}

static long number (const char *text, const char *option) {
  char *end;
  long value;
  errno = 0;
  value = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < 0 || value > INT_MAX) {
    fprintf(stderr, "measure: %s must be a non-negative integer, not '%s'\n", option, text);
    exit(FAILED);
  }
  return value;
}

int main (int argc, char **argv) {
  const char *errors = "/dev/null";
  const struct rlimit no_core = { 0, 0 };
  long runs = 1, limit = 0, i;
  sigset_t set = awaited();
  int option;
  while ((option = getopt(argc, argv, "+n:t:e:")) != -1) {
    switch (option) {
      case 'n': runs = number(optarg, "-n"); break;
      case 't': limit = number(optarg, "-t"); break;
      case 'e': errors = optarg; break;
      default: argc = 0;
    }
  }
  if (optind >= argc) {
    fputs("usage: measure [-n RUNS] [-t SECONDS] [-e FILE] COMMAND [ARGUMENT...]\n", stderr);
    return FAILED;
  }
  setrlimit(RLIMIT_CORE, &no_core);  /* writing a core file would count as run time */
  signal(SIGCHLD, SIG_DFL);  /* an inherited SIG_IGN would discard the child's status */
  sigprocmask(SIG_BLOCK, &set, NULL);
  for (i = 0; i < runs; i++) {
    struct timespec begin = now();
    Run run;
    pid_t pid;
    memset(&run, 0, sizeof run);
    pid = start(argv + optind, errors);
    await(pid, begin, limit, &run);
    run.wall = seconds(begin, now());
    if (run.interrupted) return 128 + run.interrupted;
    report(&run, limit);
  }
  return 0;
}
