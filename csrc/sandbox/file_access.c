/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Restricts which files a process may read, with Landlock.
 *
 * The ruleset handles every access right that the kernel supports, and allows only
 * reading at or below the given paths. All versions of Landlock restrict reading,
 * writing, creating, renaming and removing files. Later ones also restrict TCP (version
 * 4), device control (5), and signals and abstract sockets (6). On every kernel, the
 * system call filter forbids sockets and signals to other processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confinement.h"

/* Installed headers may be older than the kernel. The numbers of these calls are the same
 * on all machines; the constants and structures are from <linux/landlock.h>. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define ASK_VERSION 1u       /* LANDLOCK_CREATE_RULESET_VERSION */
#define BENEATH_PATH 1       /* LANDLOCK_RULE_PATH_BENEATH */
#define READ_FILE (1u << 2)  /* LANDLOCK_ACCESS_FS_READ_FILE */
#define READ_DIR (1u << 3)   /* LANDLOCK_ACCESS_FS_READ_DIR */

typedef struct ruleset {     /* struct landlock_ruleset_attr */
  uint64_t files, network, scopes;
} ruleset;

typedef struct beneath {     /* struct landlock_path_beneath_attr */
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed)) beneath;

static int make_ruleset(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
  if (version < 1) return -1;
  /* file access rights: 13 in version 1; version 2 adds "refer", 3 "truncate", and 5
   * device control */
  int count = 13 + (version >= 2) + (version >= 3) + (version >= 5);
  ruleset rules = {
      .files = (UINT64_C(1) << count) - 1,
      .network = version >= 4 ? 3 : 0,  /* TCP: bind and connect */
      .scopes = version >= 6 ? 3 : 0,   /* abstract sockets, signals */
  };
  return (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
}

/* Adds a rule for a path. A pipe needs no rule: adding one fails with EBADFD. */
static bool allow(int rules, const char *path) {
  int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return true;
  struct stat status;
  bool is_directory = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
  beneath rule = {.allowed = READ_FILE | (is_directory ? READ_DIR : 0), .parent = file};
  bool added = syscall(SYS_landlock_add_rule, rules, BENEATH_PATH, &rule, 0) == 0 ||
               errno == EBADFD;
  int problem = errno;
  close(file);
  errno = problem;
  return added;
}

bool gp_restrict_paths(const char *const *paths, size_t count, gp_error *error) {
  int rules = make_ruleset();
  if (rules < 0)
    return gp_fail(error, "Landlock is not available or disabled on this system (%s)",
                   strerror(errno));
  bool done = true;
  for (size_t i = 0; done && i < count; i++) done = allow(rules, paths[i]);
  done = done && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  if (!done) gp_fail(error, "cannot apply the Landlock rules (%s)", strerror(errno));
  close(rules);
  return done;
}
