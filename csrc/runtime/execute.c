/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/execute.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "runtime/linux.h"
#include "runtime/profile.h"
#include "runtime/recorder.h"
#include "runtime/text.h"

bool rec_follow;

char *const *rec_prepare_exec(char *const *environment, char **copy,
                              char variable[REC_OPTIONS_SIZE]) {
  if (!rec_own_profile()) return environment;
  rec_write_profile();
  if (!rec_follow) return environment;
  char value[64];
  text built = begin_text(value, sizeof value);
  add_number(&built, (uint64_t)SYSTEM_CALL(getpid, 0, 0, 0, 0));
  add_text(&built, ".");
  add_number(&built, rec_next_part());
  rec_set_option(environment, "part=", value, copy, variable);
  return copy;
}

EXPORTED int execveat(int directory, const char *path, char *const *words,
                      char *const *environment, int flags) {
  char *copy[rec_environment_size(environment)], variable[REC_OPTIONS_SIZE];
  environment = rec_prepare_exec(environment, copy, variable);
  errno = (int)-system_call(SYS_execveat, directory, (long)path, (long)words,
                            (long)environment, flags, 0);
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
  char *copy[rec_environment_size(environment)], variable[REC_OPTIONS_SIZE];
  environment = rec_prepare_exec(environment, copy, variable);
  errno = (int)-SYSTEM_CALL(execve, path, words, environment, 0);
  return -1;
}

EXPORTED int execve(const char *path, char *const *words, char *const *environment)
    __attribute__((alias("__execve")));
