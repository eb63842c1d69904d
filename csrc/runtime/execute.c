/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/execute.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "runtime/linux.h"
#include "runtime/profile.h"
#include "runtime/sampling.h"
#include "runtime/text.h"
#include "runtime/visibility.h"

bool rec_follow;

char *const *rec_prepare_exec(char *const *environment) {
  if (rec_state == ENDED || !rec_own_profile()) return environment;
  rec_write_before_exec();
  if (rec_own) rec_stop_clock(rec_own); /* a signal would end the other program */
  if (!rec_follow) return environment;
  char value[64];
  text built = begin_text(value, sizeof value);
  add_number(&built, (uint64_t)SYSTEM_CALL(getpid, 0, 0, 0, 0));
  add_text(&built, ".");
  add_number(&built, rec_next_part());
  return rec_set_option(environment, "part=", value);
}

void rec_end_exec(char *const *made, char *const *environment) {
  rec_release_environment(made, environment);
  if (rec_state == ENDED || !rec_own_profile()) return;
  rec_go_on();
  if (rec_own) rec_start_clock(rec_own);
}

EXPORTED int execveat(int directory, const char *path, char *const *words,
                      char *const *environment, int flags) {
  char *const *const made = rec_prepare_exec(environment);
  const long failed = system_call(SYS_execveat, directory, (long)path, (long)words,
                                  (long)made, flags, 0);
  rec_end_exec(made, environment);
  errno = (int)-failed;
  return -1;
}

EXPORTED int fexecve(int file, char *const *words, char *const *environment) {
  if (file >= 0) return execveat(file, "", words, environment, AT_EMPTY_PATH);
  errno = EINVAL;
  return -1;
}

/* In a static program, the other functions that execute programs use __execve. */
EXPORTED int __execve(const char *path, char *const *words, char *const *environment);

int __execve(const char *path, char *const *words, char *const *environment) {
  char *const *const made = rec_prepare_exec(environment);
  const long failed = SYSTEM_CALL(execve, path, words, made, 0);
  rec_end_exec(made, environment);
  errno = (int)-failed;
  return -1;
}

EXPORTED int execve(const char *path, char *const *words, char *const *environment)
    __attribute__((alias("__execve")));
