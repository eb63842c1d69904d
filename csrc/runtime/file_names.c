/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/file_names.h"

#include <string.h>

#include "runtime/environment.h"
#include "runtime/linux.h"
#include "runtime/text.h"

static uint64_t process;
static bool has_process; /* names contain the process id */
static unsigned number;  /* number of the profile, from 1 */
static char directory[PATH_MAX]; /* directory of the first profile; "" until it is
                                    written */
static char prefix[PATH_MAX];    /* value of GMON_OUT_PREFIX; "" if it is not set */

void rec_read_prefix(char **environment) {
  const char *value = rec_variable(environment, "GMON_OUT_PREFIX=");
  text copy = begin_text(prefix, sizeof prefix);
  add_text(&copy, value ? value : "");
}

void rec_begin_names(char **environment, bool numbered, unsigned first) {
  process = (uint64_t)SYSTEM_CALL(getpid, 0, 0, 0, 0);
  has_process = numbered;
  number = first;
  directory[0] = '\0';
  rec_read_prefix(environment);
}

unsigned rec_profile_number(void) { return number; }

void rec_next_profile_number(void) { number++; }

/* Sets the directory for relative names: the current directory when the profile is first
 * written. The program may change its directory before the profile is written again. */
static void find_directory(void) {
  if (directory[0] != '\0') return;
  if (SYSTEM_CALL(getcwd, directory, sizeof directory, 0, 0) <= 0 || directory[0] != '/')
    memcpy(directory, ".", 2);
}

/* Sets the name that glibc would choose. Adds the process id if other processes may write
 * profiles, too, and the number of the profile unless that is 1. */
static void set_path(file_name *f, const char *suffix) {
  const char *base = prefix[0] != '\0' ? prefix : "gmon.out";
  text path = begin_text(f->path, sizeof f->path);
  if (base[0] != '/') {
    add_text(&path, directory);
    add_text(&path, "/");
  }
  add_text(&path, base);
  if (prefix[0] != '\0' || has_process) {
    add_text(&path, ".");
    add_number(&path, process);
  }
  if (number > 1) {
    add_text(&path, "-");
    add_number(&path, number);
  }
  add_text(&path, suffix);
}

void rec_set_name(file_name *f, const char *suffix) {
  find_directory();
  set_path(f, suffix);
  text temporary = begin_text(f->temporary, sizeof f->temporary);
  add_text(&temporary, f->path);
  add_text(&temporary, ".");
  add_number(&temporary, process);
  add_text(&temporary, ".tmp");
}
