/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/linux.h"
#include "runtime/text.h"

static struct {
  const char *path; /* NULL: the file is borrowed, or a device */
  bool is_device;
  int file, error; /* `error` is the errno of the first failure */
  bool has_sum;
  uint32_t sum;
  size_t used;
  unsigned char bytes[1 << 16];
} out;

static uint32_t sums[256]; /* CRC-32 of each byte value */

static void prepare_sums(void) {
  for (uint32_t i = 0; i < 256; i++) {
    sums[i] = i;
    for (int bit = 0; bit < 8; bit++)
      sums[i] = sums[i] >> 1 ^ (sums[i] & 1 ? UINT32_C(0xedb88320) : 0);
  }
}

void rec_remove_output(const char *path) { SYSTEM_CALL(unlinkat, AT_FDCWD, path, 0, 0); }

/* --- targets ---------------------------------------------------------------- */

/* The longest chain of symbolic links, as in Linux. */
#define MAX_LINKS 40

/* Replaces a link in the target by what it leads to; false if it is not a link. */
static bool follow_link(file_name *f) {
  static char link[PATH_MAX]; /* one thread writes at a time */
  const long length =
      SYSTEM_CALL(readlinkat, AT_FDCWD, f->target, link, sizeof link - 1);
  if (length <= 0) return false;
  link[length] = '\0';
  const char *slash = link[0] == '/' ? NULL : strrchr(f->target, '/');
  char *name = slash ? f->target + (slash - f->target) + 1 : f->target;
  text target = begin_text(name, sizeof f->target - (size_t)(name - f->target));
  add_text(&target, link);
  return true;
}

/* Returns 0 if a file begins with one of the texts; otherwise an errno. Does not wait if
 * the file has become a FIFO. */
static int check_head(const char *path, const char *const *magics) {
  char head[8];
  const long file = SYSTEM_CALL(openat, AT_FDCWD, path,
                                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  if (file < 0) return (int)-file;
  const long got = SYSTEM_CALL(read, file, head, sizeof head, 0);
  SYSTEM_CALL(close, file, 0, 0, 0);
  for (; *magics; magics++) {
    const size_t size = strlen(*magics);
    if (got >= (long)size && memcmp(head, *magics, size) == 0) return 0;
  }
  return REC_NOT_A_PROFILE;
}

int rec_find_target(file_name *f, const char *const *magics, bool *is_device) {
  struct stat file = {.st_mode = 0};
  *is_device = false;
  for (int links = 0; f->is_chosen && follow_link(f); links++)
    if (links == MAX_LINKS) return ELOOP;
  rec_set_temporary(f);
  if (SYSTEM_CALL(newfstatat, AT_FDCWD, f->target, &file, AT_SYMLINK_NOFOLLOW))
    return 0; /* opening it reports what is wrong */
  *is_device = f->is_chosen && S_ISCHR(file.st_mode);
  if (S_ISLNK(file.st_mode)) return ELOOP;
  if (S_ISDIR(file.st_mode)) return EISDIR;
  if (*is_device) return 0;
  if (!S_ISREG(file.st_mode)) return REC_NOT_A_PROFILE;
  return file.st_size == 0 ? 0 : check_head(f->target, magics);
}

/* --- writing ---------------------------------------------------------------- */

static void begin_output(const char *path, int file) {
  out.path = path;
  out.is_device = false;
  out.file = file;
  out.error = 0;
  out.used = 0;
  out.has_sum = false;
}

void rec_borrow_output(int file) { begin_output(NULL, file); }

bool rec_open_output(const char *path) {
  begin_output(path, -1);
  rec_remove_output(path); /* left by a killed process with the same id */
  long file = SYSTEM_CALL(openat, AT_FDCWD, path,
                          O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0666);
  /* Avoids the descriptors of closed standard streams: threads may still write there. */
  if (file >= 0 && file <= STDERR_FILENO) {
    const long closed = file;
    file = SYSTEM_CALL(fcntl, file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1, 0);
    SYSTEM_CALL(close, closed, 0, 0, 0);
    if (file == -EINVAL) file = -EMFILE; /* the limit allows no other descriptors */
    if (file < 0) rec_remove_output(path);
  }
  out.file = (int)file;
  if (file < 0) out.error = (int)-file;
  return file >= 0;
}

bool rec_open_device(const char *path) {
  begin_output(NULL, -1);
  const long file =
      SYSTEM_CALL(openat, AT_FDCWD, path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
  out.is_device = true;
  out.file = (int)file;
  if (file < 0) out.error = (int)-file;
  return file >= 0;
}

static void flush(void) {
  for (size_t i = 0; out.has_sum && i < out.used; i++)
    out.sum = out.sum >> 8 ^ sums[(out.sum ^ out.bytes[i]) & 0xff];
  for (size_t done = 0; done < out.used && !out.error;) {
    const long now = SYSTEM_CALL(write, out.file, out.bytes + done, out.used - done, 0);
    if (now > 0) done += (size_t)now;
    if (now < 0 && now != -EINTR) out.error = (int)-now;
  }
  out.used = 0;
}

void rec_put(const void *bytes, size_t size) {
  while (size > 0) {
    if (out.used == sizeof out.bytes) flush();
    size_t part = sizeof out.bytes - out.used;
    if (part > size) part = size;
    memcpy(out.bytes + out.used, bytes, part);
    out.used += part;
    bytes = (const char *)bytes + part;
    size -= part;
  }
}

void rec_put_u16(uint16_t number) { rec_put(&number, sizeof number); }

void rec_put_u32(uint32_t number) { rec_put(&number, sizeof number); }

void rec_put_u64(uint64_t number) { rec_put(&number, sizeof number); }

void rec_begin_sum(void) {
  if (sums[1] == 0) prepare_sums();
  flush();
  out.has_sum = true;
  out.sum = UINT32_MAX;
}

uint32_t rec_output_sum(void) {
  flush();
  return ~out.sum;
}

int rec_close_output(int error) {
  if (out.file < 0) return out.error;
  if (!out.error) out.error = error;
  flush();
  if (!out.path && !out.is_device) return out.error;
  const long failed = SYSTEM_CALL(close, out.file, 0, 0, 0);
  if (!out.error) out.error = (int)-failed;
  if (out.error && out.path) rec_remove_output(out.path);
  return out.error;
}

/* --- names ------------------------------------------------------------------ */

/* How often to try to lock, a millisecond apart. While the disk is busy, giving names may
 * take longer; specs wait for it. */
#ifndef LOCK_TRIES
#define LOCK_TRIES 1000
#endif

static bool gave_up; /* others hold the lock all the time, as `flock . make` does */

/* Locks the directory of a file, so that other programs do not give the same names to
 * their files meanwhile: the last one must leave both of its files. Goes on without a
 * lock where there is none, as on some network file systems. */
static long lock_directory(const file_name *f) {
  static char path[sizeof f->target];
  const char *slash = strrchr(f->target, '/');
  text built = begin_text(path, sizeof path);
  if (slash)
    add_bytes(&built, f->target, (size_t)(slash - f->target) + 1);
  else
    add_text(&built, ".");
  const long directory =
      SYSTEM_CALL(openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return directory;
  const struct timespec millisecond = {0, 1000000};
  for (int left = gave_up ? 1 : LOCK_TRIES; left > 0; left--) {
    gave_up = SYSTEM_CALL(flock, directory, LOCK_EX | LOCK_NB, 0, 0) == -EWOULDBLOCK;
    if (!gave_up) break;
    SYSTEM_CALL(nanosleep, &millisecond, 0, 0, 0);
  }
  return directory;
}

/* A forked child may have a copy of the descriptor. */
static void unlock_directory(long directory) {
  if (directory < 0) return;
  SYSTEM_CALL(flock, directory, LOCK_UN, 0, 0);
  SYSTEM_CALL(close, directory, 0, 0, 0);
}

static long rename_file(const file_name *f, unsigned flags) {
  return system_call(SYS_renameat2, AT_FDCWD, (long)f->temporary, AT_FDCWD,
                     (long)f->target, flags, 0);
}

/* Gives a closed file its name. On failure, removes it and returns the errno. */
static int name_output(const file_name *f) {
  const long failed = rename_file(f, 0);
  if (failed) rec_remove_output(f->temporary);
  return (int)-failed;
}

static void rename_both(const file_name *first, int *first_error, const file_name *second,
                        int *second_error) {
  const long exchanged = rename_file(first, RENAME_EXCHANGE);
  *first_error = exchanged == 0 ? 0 : name_output(first);
  if (*first_error) {
    rec_remove_output(second->temporary);
    return;
  }
  *second_error = name_output(second);
  if (*second_error && exchanged == 0) rename_file(first, RENAME_EXCHANGE);
  if (*second_error && exchanged == -ENOENT) rec_remove_output(first->target);
  if (exchanged == 0) rec_remove_output(first->temporary);
}

void rec_rename_both(const file_name *first, int *first_error, const file_name *second,
                     int *second_error) {
  const long directory = lock_directory(first);
  rename_both(first, first_error, second, second_error);
  unlock_directory(directory);
}
