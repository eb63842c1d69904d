/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile that the C library records. */
#include "mpi/plain_profile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "gmon/bins.h"
#include "gmon/gmon_read.h"
#include "gmon/gmon_write.h"
#include "mpi/program.h"

/* Of the C library. */
void __monstartup(size_t low, size_t high);

/* These take the place of the C library's functions, and call them. They are weak, since
 * a program may be linked with the recorder, which has such functions, too. */
#define REPLACEMENT __attribute__((visibility("default"), weak))
REPLACEMENT void _mcleanup(void);
REPLACEMENT void moncontrol(int mode);

static struct {
  const char *prefix;   /* of own files; NULL before the start */
  bool is_paused;       /* the program has called moncontrol(0) */
  pid_t process;        /* the process whose profile was taken; 0: none */
  int file;             /* the profile that was taken, or -1 */
  gp_range code;        /* that it covers, as loaded */
  char own[PATH_MAX];   /* the own file; "" if it was not written yet */
} plain = {.file = -1};

/* Returns the C library's function. */
static void *original(const char *name) { return dlsym(RTLD_NEXT, name); }

static void write_and_free(void) {
  void (*function)(void);
  *(void **)&function = original("_mcleanup");
  if (function) function();
}

static void switch_recording(int mode) {
  void (*function)(int);
  *(void **)&function = original("moncontrol");
  if (function) function(mode);
}

void moncontrol(int mode) {
  plain.is_paused = mode == 0;
  switch_recording(mode);
}

void gp_plain_start(const char *prefix) { plain.prefix = prefix; }

/* --- a private directory ---------------------------------------------------------- */

/* Returns the size of the program's code in bytes. */
static int add_code(struct dl_phdr_info *object, size_t size, void *into) {
  uint64_t *code = into;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_flags & PF_X)
      *code += object->dlpi_phdr[i].p_memsz;
  return 1;  /* the first object is the program */
}

/* An upper limit of a profile's size in bytes. The C library writes a bin of 2 bytes for
 * every 4 bytes of code, and at most 3 arcs of 21 bytes for every 100 bytes. */
static uint64_t most_bytes(void) {
  uint64_t code = 0;
  dl_iterate_phdr(add_code, &code);
  return 2 * code + (1 << 16);
}

/* Whether a directory has room for a profile. Otherwise the C library would write an
 * incomplete one, and forget what it has recorded. A file system without a limit has no
 * blocks. */
static bool has_room(const char *directory) {
  struct statvfs system;
  if (statvfs(directory, &system) != 0) return false;
  if (system.f_blocks == 0 ||
      (uint64_t)system.f_bavail * system.f_frsize >= most_bytes())
    return true;
  errno = ENOSPC;
  return false;
}

/* Creates a directory, in memory if possible. */
static bool make_directory(char path[PATH_MAX], gp_error *error) {
  const char *chosen = getenv("TMPDIR");
  const char *const places[] = {"/dev/shm", chosen ? chosen : "/tmp", "/tmp"};
  int problem = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    int length = snprintf(path, PATH_MAX, "%s/gprof-mpi.XXXXXX", places[i]);
    bool is_made = length < PATH_MAX - 64 && mkdtemp(path);
    if (is_made && has_room(path)) return true;
    problem = errno;
    if (is_made) rmdir(path);
  }
  return gp_fail(error, "no room for a temporary file: %s", strerror(problem));
}

/* Lets the C library write its profile to a file with this prefix. */
static bool write_below(const char *prefix, gp_error *error) {
  const char *before = getenv("GMON_OUT_PREFIX");
  char *saved = before ? strdup(before) : NULL;
  if ((before && !saved) || setenv("GMON_OUT_PREFIX", prefix, true) != 0) {
    free(saved);
    return gp_fail_memory(error);
  }
  write_and_free();
  if (saved)
    setenv("GMON_OUT_PREFIX", saved, true);
  else
    unsetenv("GMON_OUT_PREFIX");
  free(saved);
  return true;
}

/* Whether all of a file was written. The C library does not say if the disk was full: the
 * file could then not grow now. */
static bool is_complete(int file, gp_error *error) {
  static const char more[1 << 13];
  off_t end = lseek(file, 0, SEEK_END);
  bool grown = end >= 0 && write(file, more, sizeof more) == (ssize_t)sizeof more;
  int problem = grown ? 0 : errno;
  if (end >= 0 && ftruncate(file, end) == 0 && lseek(file, 0, SEEK_SET) == 0 && grown)
    return true;
  return gp_fail(error, "the temporary file of the profile is not complete: %s",
                 strerror(problem ? problem : errno));
}

/* Lets the C library write its profile. Sets *file to an open file without a name, or to
 * -1 if the C library has written none. */
static bool write_profile(const char *directory, int *file, gp_error *error) {
  char prefix[PATH_MAX + 8], path[PATH_MAX + 32];
  *file = -1;
  snprintf(prefix, sizeof prefix, "%s/gmon", directory);
  snprintf(path, sizeof path, "%s.%ld", prefix, (long)getpid());
  bool done = write_below(prefix, error);
  if (done) *file = open(path, O_RDWR | O_CLOEXEC);
  unlink(path);
  rmdir(directory);
  return done && (*file < 0 || is_complete(*file, error));
}

/* --- taking the profile ----------------------------------------------------------- */

static const gp_layout native = {.big_endian = GP_BIG_ENDIAN,
                                 .pointer_size = sizeof(void *)};

/* Adds a profile. */
static bool add(gp_data *data, int file, gp_error *error) {
  const gp_read_options options = {.format = GP_FORMAT_MAGIC};
  gp_file_kind kind;
  return lseek(file, 0, SEEK_SET) == 0 &&
         gp_data_read_open(data, file, &options, &kind, error) &&
         lseek(file, 0, SEEK_SET) == 0;
}

/* Finds the code that the program records. Without the option -pg there is none. */
static gp_taken find_code(gp_error *error) {
  gp_program program;
  gp_data data;
  gp_data_init(&data, native);
  bool done = add(&data, plain.file, error);
  gp_range covered = gp_data_covered(&data);
  gp_data_free(&data);
  if (!done) return GP_NOT_TAKEN;
  if (covered.low >= covered.high) return GP_NO_PROFILE;
  gp_program_find(&program);
  plain.code = (gp_range){covered.low + program.bias, covered.high + program.bias};
  return GP_TAKEN;
}

gp_taken gp_plain_take(int *file, gp_error *error) {
  char directory[PATH_MAX];
  if (!make_directory(directory, error)) return GP_NOT_TAKEN;
  if (!write_profile(directory, &plain.file, error)) return GP_NOT_TAKEN;
  if (plain.file < 0) return GP_NO_PROFILE;
  gp_taken taken = find_code(error);
  if (taken == GP_NO_PROFILE) {
    close(plain.file);
    plain.file = -1;
    return taken;
  }
  plain.process = getpid();
  *file = taken == GP_TAKEN ? fcntl(plain.file, F_DUPFD_CLOEXEC, 0) : -1;
  if (taken == GP_TAKEN && *file < 0) {
    gp_fail(error, "%s", strerror(errno));
    return GP_NOT_TAKEN;
  }
  return taken;
}

/* --- the own file ------------------------------------------------------------------ */

/* Names the own file. The path is absolute, since the program may change its directory
 * before the rest is added to the file. False if it is too long. */
static bool name_own(char path[PATH_MAX], gp_error *error) {
  const char *prefix = getenv("GMON_OUT_PREFIX");
  char directory[PATH_MAX] = "";
  if (!prefix || *prefix == '\0') prefix = plain.prefix;
  if (*prefix != '/' && !getcwd(directory, sizeof directory))
    return gp_fail(error, "%s: the current directory is unknown: %s", prefix,
                   strerror(errno));
  int length = snprintf(path, PATH_MAX, "%s%s%s.%ld", directory,
                        *prefix == '/' ? "" : "/", prefix, (long)getpid());
  return length < PATH_MAX || gp_fail(error, "%s: the name is too long", prefix);
}

static bool write_own(const gp_data *data, const char *path, gp_error *error) {
  gp_writer writer;
  return gp_writer_open_profile(&writer, path, GP_PATH_DERIVED, error) &&
         gp_writer_close(&writer, gp_data_put(data, &writer, GP_FORMAT_MAGIC, NULL));
}

/* Writes the profile that was taken. */
static bool write_taken(gp_error *error) {
  gp_error problem = {""};
  char path[PATH_MAX] = "";
  gp_data data;
  if (!name_own(path, error)) return false;
  gp_data_init(&data, native);
  bool done = add(&data, plain.file, &problem) && write_own(&data, path, &problem);
  gp_data_free(&data);
  if (!done) return gp_fail(error, "%s: %s", path, problem.text);
  memcpy(plain.own, path, sizeof plain.own);
  return true;
}

bool gp_plain_settle(bool in_sum, gp_error *error) {
  if (plain.file < 0) return true;
  bool done = in_sum || write_taken(error);
  close(plain.file);
  plain.file = -1;
  return done;
}

void gp_plain_resume(void) {
  if (plain.code.low >= plain.code.high) return;
  __monstartup(plain.code.low, plain.code.high);
  if (plain.is_paused) switch_recording(0);
}

/* --- the end ------------------------------------------------------------------------ */

static uint64_t samples_in(const gp_data *data) {
  uint64_t samples = 0;
  for (size_t i = 0; i < data->histogram_count; i++)
    for (size_t bin = 0; bin < data->histograms[i].bins; bin++)
      samples += gp_bin(&data->histograms[i], bin);
  return samples;
}

/* Adds the rest to the own file. */
static bool write_rest(int file, gp_error *error) {
  const gp_read_options options = {.format = GP_FORMAT_MAGIC};
  gp_file_kind kind;
  gp_data data, rest;
  gp_data_init(&data, native);
  gp_data_init(&rest, native);
  bool is_first = plain.own[0] == '\0', done = add(&rest, file, error);
  /* without calls, and with samples of less than a tenth of a second */
  bool is_negligible = rest.arcs.count == 0 && rest.blocks.count == 0 &&
                       (rest.histogram_count == 0 ||
                        10 * samples_in(&rest) < rest.histograms[0].rate);
  if (done && !is_negligible) {
    done = (is_first ? name_own(plain.own, error)
                     : gp_data_read(&data, plain.own, &options, &kind, error)) &&
           gp_data_merge(&data, &rest, error) && write_own(&data, plain.own, error);
  }
  gp_data_free(&data);
  gp_data_free(&rest);
  return done;
}

/* Called when the process ends. If there is no room for a temporary file, the C library
 * writes a file of its own, unless that would replace the own file. */
void _mcleanup(void) {
  gp_error error = {""};
  char directory[PATH_MAX];
  int file = -1;
  bool is_later = plain.process != 0 && plain.process == getpid(), done = is_later;
  done = done && make_directory(directory, &error);
  if (!is_later || (!done && plain.own[0] == '\0')) {
    write_and_free();
    return;
  }
  done = done && write_profile(directory, &file, &error) &&
         (file < 0 || write_rest(file, &error));
  if (!done)
    fprintf(stderr, "libgprof-mpi: the profile after MPI_Finalize is lost: %s\n",
            error.text);
  if (file >= 0) close(file);
}
