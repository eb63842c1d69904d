/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work of several threads. */
#include "base/parallel.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- processors ------------------------------------------------------------------ */

/* Reads the limit in a file cpu.max of Linux' cgroups: microseconds of processor time,
 * and the period of which they are a part. Returns the number of processors, rounded up;
 * LONG_MAX if there is no limit. */
static long read_quota(const char *path) {
  char line[64], *end;
  FILE *file = fopen(path, "re");
  bool got = file && fgets(line, sizeof line, file);
  if (file) (void)fclose(file);
  if (!got) return LONG_MAX;
  long quota = strtol(line, &end, 10), period = strtol(end, NULL, 10);
  return quota > 0 && period > 0 ? (quota - 1) / period + 1 : LONG_MAX;
}

/* Returns the least limit of a cgroup, given as a path below the root, and of those that
 * contain it. Changes `group`. */
static long least_quota(char *group) {
  char path[PATH_MAX + 32];
  long least = LONG_MAX;
  for (char *end = group + strlen(group); end;
       end = end > group ? strrchr(group, '/') : NULL) {
    *end = '\0';
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    long own = read_quota(path);
    if (own < least) least = own;
  }
  return least;
}

/* Returns the limit of this process's cgroup, or of the root if its cgroup is unknown. A
 * container sees its own cgroup as the root. */
static long find_quota(void) {
  char line[PATH_MAX] = "";
  FILE *file = fopen("/proc/self/cgroup", "re");
  bool found = false;
  while (file && !found && fgets(line, sizeof line, file))
    found = strncmp(line, "0::/", 4) == 0;
  if (file) (void)fclose(file);
  line[strcspn(line, "\n")] = '\0';
  char root[] = "";
  return least_quota(found ? line + 3 : root);
}

size_t gp_processors(void) {
  cpu_set_t set;
  bool known = sched_getaffinity(0, sizeof set, &set) == 0;
  long count = known ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  if (count > 1) {
    long most = find_quota();
    if (count > most) count = most;
  }
  return count > 0 ? (size_t)count : 1;
}

/* --- threads --------------------------------------------------------------------- */

typedef struct part {
  gp_task *task;
  void *work;
  size_t number;
  pthread_t thread;
  bool started;
} part;

static void *run(void *opaque) {
  part *p = opaque;
  p->task(p->work, p->number);
  return NULL;
}

/* The stack of a thread, in bytes. libiberty's demangler needs tens of kilobytes for a
 * name, and recurses; musl's threads have 128 KB. */
#define STACK_SIZE (2 << 20)

/* A thread inherits its signal mask. */
static void start(part *parts, size_t count) {
  sigset_t all, before;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (size_t i = 1; i < count; i++)
    parts[i].started =
        pthread_create(&parts[i].thread, &attributes, run, &parts[i]) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

void gp_parallel(size_t count, gp_task *task, void *work) {
  part parts[GP_MAX_PARTS];
  if (count > GP_MAX_PARTS) count = GP_MAX_PARTS;
  for (size_t i = 0; i < count; i++)
    parts[i] = (part){.task = task, .work = work, .number = i};
  start(parts, count);
  for (size_t i = 0; i < count; i++)
    if (!parts[i].started) run(&parts[i]);
  for (size_t i = 0; i < count; i++)
    if (parts[i].started) pthread_join(parts[i].thread, NULL);
}
