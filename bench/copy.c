/*
 * copy: writes a file to standard output in pieces that it copies first, and prints the
 * processor time that this takes. This is the least that a program which writes such text can
 * take.
 *
 *   copy FILE | cat >/dev/null
 *
 * prints user=SECONDS system=SECONDS to standard error. The file is in memory before the clock
 * starts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 65536 };  /* bytes, as in gprof for Lua's buffer */

static void fail (const char *what) {
  fprintf(stderr, "copy: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double seconds (struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static char *load (const char *path, size_t *size) {
  struct stat status;
  FILE *file = fopen(path, "rb");
  if (!file || fstat(fileno(file), &status) != 0) fail(path);
  *size = (size_t)status.st_size;
  char *text = malloc(*size ? *size : 1);
  if (!text || fread(text, 1, *size, file) != *size) fail(path);
  (void)fclose(file);
  return text;
}

int main (int argc, char **argv) {
  char piece[PIECE];
  size_t size, done, length;
  struct rusage before, after;
  if (argc != 2) {
    fputs("usage: copy FILE\n", stderr);
    return 1;
  }
  char *text = load(argv[1], &size);
  getrusage(RUSAGE_SELF, &before);
  for (done = 0; done < size; done += length) {
    length = size - done < PIECE ? size - done : PIECE;
    memcpy(piece, text + done, length);
    for (size_t written = 0; written < length;) {
      ssize_t now = write(STDOUT_FILENO, piece + written, length - written);
      if (now < 0 && errno != EINTR) fail("standard output");
      if (now > 0) written += (size_t)now;
    }
  }
  getrusage(RUSAGE_SELF, &after);
  fprintf(stderr, "user=%.6f system=%.6f\n", seconds(after.ru_utime) - seconds(before.ru_utime),
          seconds(after.ru_stime) - seconds(before.ru_stime));
  free(text);
  return 0;
}
