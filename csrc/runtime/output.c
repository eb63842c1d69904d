/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/linux.h"

static struct {
  const char *path; /* NULL: the file is borrowed */
  int file, error; /* `error` is the errno of the first failure */
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

int rec_check_target(const char *name) {
  struct stat file = {.st_mode = 0};
  const long failed =
      SYSTEM_CALL(newfstatat, AT_FDCWD, name, &file, AT_SYMLINK_NOFOLLOW);
  if (failed || S_ISREG(file.st_mode) || S_ISLNK(file.st_mode)) return 0;
  return S_ISDIR(file.st_mode) ? EISDIR : EEXIST;
}

static void begin_output(const char *path, int file) {
  if (sums[1] == 0) prepare_sums();
  out.path = path;
  out.file = file;
  out.error = 0;
  out.used = 0;
  out.sum = UINT32_MAX;
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
  }
  out.file = (int)file;
  if (file < 0) out.error = (int)-file;
  return file >= 0;
}

static void flush(void) {
  for (size_t i = 0; i < out.used; i++)
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

uint32_t rec_output_sum(void) {
  flush();
  return ~out.sum;
}

int rec_close_output(int error) {
  if (out.file < 0) return out.error;
  if (!out.error) out.error = error;
  flush();
  if (!out.path) return out.error;
  const long failed = SYSTEM_CALL(close, out.file, 0, 0, 0);
  if (!out.error) out.error = (int)-failed;
  if (out.error) rec_remove_output(out.path);
  return out.error;
}

int rec_rename_output(const char *path, const char *name) {
  const long failed = system_call(SYS_renameat2, AT_FDCWD, (long)path, AT_FDCWD,
                                  (long)name, 0, 0);
  if (failed) rec_remove_output(path);
  return (int)-failed;
}
