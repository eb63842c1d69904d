/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a command with limits: `limited SECONDS MEBIBYTES OUT ERR COMMAND...`.
 *
 * SECONDS limits the CPU time, so the load of the machine does not matter. A command that
 * waits is killed after ten times as many seconds. MEBIBYTES limits the address space; 0
 * means no limit. OUT and ERR are files for the output. Prints how the command ended,
 * "exit 0", "signal 11" or "wait 9", its peak memory in KiB, and its CPU time in ms.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t waited;
static pid_t child;

static void end_child(int number) {
  (void)number;
  waited = 1;
  kill(-child, SIGKILL);
}

static void limit(int resource, rlim_t most) {
  struct rlimit both = {most, most};
  setrlimit(resource, &both);
}

static void redirect(int to, const char *path, int flags) {
  int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(126);
  close(file);
}

static void start(char **words, rlim_t seconds, rlim_t mebibytes) {
  setpgid(0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_FSIZE, (rlim_t)1 << 28);
  if (mebibytes) limit(RLIMIT_AS, mebibytes << 20);
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, words[0], O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, words[1], O_WRONLY | O_CREAT | O_TRUNC);
  execvp(words[2], words + 2);
  _exit(127);
}

/* The kernel sends SIGXCPU at the soft limit and SIGKILL at the hard limit; here both
 * limits are equal. Reports a SIGKILL after at least 80% of the limit as SIGXCPU. The
 * tolerance is needed because rusage shows slightly less time than the kernel counts. */
static void print_result(int status, const struct rusage *use, rlim_t seconds) {
  long worked = (use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000 +
                (use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1000;
  const char *how = WIFEXITED(status) ? "exit" : waited ? "wait" : "signal";
  int number = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  if (number == SIGKILL && !waited && worked >= (long)seconds * 800) number = SIGXCPU;
  printf("%s %d %ld %ld\n", how, number, use->ru_maxrss, worked);
}

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  rlim_t seconds = strtoul(argv[1], NULL, 10);
  int status;
  struct rusage use;
  child = fork();
  if (child < 0) return 2;
  if (child == 0) start(argv + 3, seconds, strtoul(argv[2], NULL, 10));
  signal(SIGALRM, end_child);
  alarm((unsigned)seconds * 10);
  while (wait4(child, &status, 0, &use) < 0) continue;
  print_result(status, &use, seconds);
  return 0;
}
