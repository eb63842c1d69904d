/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/file_names.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "runtime/environment.h"
#include "runtime/linux.h"
#include "runtime/modules.h"
#include "runtime/text.h"

static uint64_t process;
static bool has_process; /* names contain the process id */
static unsigned number;  /* number of the profile, from 1 */
static char directory[PATH_MAX]; /* directory of the first profile; "" until it is
                                    written */
static char prefix[PATH_MAX];    /* value of GMON_OUT_PREFIX, or else other_prefix */
static char other_prefix[64];    /* "" until it is set */
static char pattern[PATH_MAX];   /* value of the option `output`; "" if it is not set */
static char rank[16];            /* rank of the process; "" if it has none */
static char chosen_directory[PATH_MAX]; /* option `directory`; "" if it is not set */

/* What identifies a directory; zeros if it is unknown. */
typedef struct identity {
  dev_t device;
  ino_t inode;
} identity;

static identity root, chosen; /* the root and `chosen_directory`, at the start */
static uint64_t user;            /* the effective user id at the start */

void rec_read_prefix(char **environment) {
  const char *value = rec_variable(environment, "GMON_OUT_PREFIX=");
  text copy = begin_text(prefix, sizeof prefix);
  add_text(&copy, value ? value : other_prefix);
}

void rec_set_prefix(const char *given) {
  text copy = begin_text(other_prefix, sizeof other_prefix);
  add_text(&copy, given);
}

/* --- directories ------------------------------------------------------------ */

static identity identity_of(const char *path) {
  struct stat file = {0};
  if (SYSTEM_CALL(newfstatat, AT_FDCWD, path, &file, 0) != 0) return (identity){0, 0};
  return (identity){file.st_dev, file.st_ino};
}

static bool is_same(identity a, identity b) {
  return a.device == b.device && a.inode == b.inode;
}

/* Options are read twice (see rec_report_options): names stay complete meanwhile. */
bool rec_set_directory(const char *path) {
  if (path[0] != '/' || strlen(path) >= sizeof chosen_directory) return false;
  char decoded[sizeof chosen_directory];
  text copy = begin_text(decoded, sizeof decoded);
  add_decoded(&copy, path);
  memcpy(chosen_directory, decoded, strlen(decoded) + 1);
  return true;
}

bool rec_has_other_root(void) { return !is_same(root, identity_of("/")); }

static uint64_t current_user(void) { return (uint64_t)SYSTEM_CALL(geteuid, 0, 0, 0, 0); }

bool rec_has_other_user(uint64_t *id) {
  *id = current_user();
  return *id != user;
}

/* Sets `path` (PATH_MAX bytes) to the directory for relative names. The current directory
 * may have become unreachable by its path, after chroot. */
static void read_directory(char *path) {
  if (chosen_directory[0] != '\0' && !is_same(chosen, identity_of(".")))
    memcpy(path, chosen_directory, sizeof chosen_directory);
  else if (SYSTEM_CALL(getcwd, path, PATH_MAX, 0, 0) <= 0 || path[0] != '/')
    memcpy(path, ".", 2);
}

/* Sets the directory of the profile. The program may change its own before the profile is
 * written again. */
static void find_directory(void) {
  if (directory[0] == '\0') read_directory(directory);
}

void rec_set_absolute(char *path, const char *name) {
  text built = begin_text(path, PATH_MAX);
  if (name[0] != '/') {
    read_directory(path);
    built.at += strlen(path);
    add_text(&built, "/");
    if (strlen(name) > (size_t)(built.end - built.at)) built = begin_text(path, PATH_MAX);
  }
  add_text(&built, name);
}

/* --- patterns --------------------------------------------------------------- */

/* Looks for a rank, which is a number. Slurm's variable comes last: processes that mpirun
 * starts within a job of Slurm may all have the rank 0 there. */
static void read_rank(char **environment) {
  static const char *const names[] = {
      "OMPI_COMM_WORLD_RANK=", "PMIX_RANK=",   "PMI_RANK=",     "MV2_COMM_WORLD_RANK=",
      "FLUX_TASK_RANK=",       "PALS_RANKID=", "SLURM_PROCID=",
  };
  for (size_t i = 0; i < sizeof names / sizeof *names && rank[0] == '\0'; i++) {
    const char *value = rec_variable(environment, names[i]);
    const size_t size = value ? strspn(value, "0123456789") : 0;
    if (size > 0 && size < sizeof rank && value[size] == '\0')
      memcpy(rank, value, size + 1);
  }
}

/* Returns the size of a placeholder or encoded character; 0 if it is unknown. */
static size_t placeholder_size(const char *at) {
  if (encoded_at(at)) return 3;
  return at[1] != '\0' && strchr("ehpr%", at[1]) ? 2 : 0;
}

bool rec_set_pattern(const char *given) {
  const size_t length = strlen(given);
  if (length == 0 || length >= sizeof pattern) return false;
  for (const char *at = given; (at = strchr(at, '%')); at += placeholder_size(at))
    if (placeholder_size(at) == 0) return false;
  char decoded[sizeof pattern];
  text copy = begin_text(decoded, sizeof decoded);
  for (const char *at = given; *at != '\0';) {
    const char encoded = encoded_at(at);
    const size_t size = *at == '%' ? placeholder_size(at) : 1;
    if (encoded)
      add_text(&copy, encoded == '%' ? "%%" : ",");
    else
      add_bytes(&copy, at, size);
    at += size;
  }
  memcpy(pattern, decoded, strlen(decoded) + 1);
  return true;
}

/* The last part of the program's path. */
static const char *program_name(void) {
  const char *path = rec_modules ? rec_modules->path : "";
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void add_host(text *name) {
  struct utsname system;
  if (SYSTEM_CALL(uname, &system, 0, 0, 0) == 0) add_text(name, system.nodename);
}

/* Adds the value of a placeholder. A process without a rank has its id in place of the
 * rank. Returns whether the value is the id. */
static bool add_value(text *name, char placeholder) {
  switch (placeholder) {
    case 'e': add_text(name, program_name()); return false;
    case 'h': add_host(name); return false;
    case 'r':
      if (rank[0] == '\0') break;
      add_text(name, rank);
      return false;
    case '%': add_text(name, "%"); return false;
    default: break;
  }
  add_number(name, process);
  return true;
}

/* Adds the name that the pattern stands for. Returns whether the name contains the
 * process id. */
static bool add_pattern(text *name) {
  bool has_id = false;
  for (const char *at = pattern; *at != '\0'; at++)
    if (*at == '%')
      has_id |= add_value(name, *++at);
    else
      add_bytes(name, at, 1);
  return has_id;
}

/* Whether the pattern has no placeholders for values. */
static bool is_plain(void) {
  for (const char *at = pattern; (at = strchr(at, '%')); at += 2)
    if (at[1] != '%') return false;
  return pattern[0] != '\0';
}

/* --- names ------------------------------------------------------------------ */

void rec_begin_names(char **environment, bool numbered, unsigned first) {
  process = (uint64_t)SYSTEM_CALL(getpid, 0, 0, 0, 0);
  has_process = numbered;
  number = first;
  directory[0] = '\0';
  if (root.inode == 0) {
    root = identity_of("/");
    chosen = identity_of(chosen_directory);
    user = current_user();
  }
  rec_read_prefix(environment);
  read_rank(environment);
}

unsigned rec_profile_number(void) { return number; }

void rec_next_profile_number(void) { number++; }

/* Adds the name that the option `output` or, without it, glibc chooses. Adds the process
 * id if other processes may write profiles, too. */
static void add_base(text *path) {
  bool adds_id = has_process;
  if (pattern[0] != '\0') {
    if (add_pattern(path)) adds_id = false;
  } else if (prefix[0] != '\0') {
    add_text(path, prefix);
    adds_id = true;
  } else {
    add_text(path, "gmon.out");
  }
  if (!adds_id) return;
  add_text(path, ".");
  add_number(path, process);
}

static bool is_absolute(void) {
  return (pattern[0] != '\0' ? pattern : prefix)[0] == '/';
}

static void set_path(file_name *f, const char *suffix) {
  text path = begin_text(f->path, sizeof f->path);
  if (!is_absolute()) {
    add_text(&path, directory);
    add_text(&path, "/");
  }
  add_base(&path);
  if (number > 1) {
    add_text(&path, "-");
    add_number(&path, number);
  }
  add_text(&path, suffix);
  f->is_chosen = is_plain() && !has_process && number == 1 && *suffix == '\0';
}

void rec_set_name(file_name *f, const char *suffix) {
  find_directory();
  set_path(f, suffix);
  text target = begin_text(f->target, sizeof f->target);
  add_text(&target, f->path);
}

void rec_set_temporary(file_name *f) {
  text temporary = begin_text(f->temporary, sizeof f->temporary);
  add_text(&temporary, f->target);
  add_text(&temporary, ".");
  add_number(&temporary, process);
  add_text(&temporary, ".tmp");
}
