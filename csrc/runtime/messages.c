/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/messages.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/linux.h"

typedef struct open_file {
  dev_t device;
  ino_t inode;
  long flags; /* access mode and O_APPEND; -1 if the descriptor is closed */
} open_file;

static open_file first;

static open_file find_standard_error(void) {
  struct stat file;
  const long flags = SYSTEM_CALL(fcntl, STDERR_FILENO, F_GETFL, 0, 0);
  if (flags < 0 || SYSTEM_CALL(fstat, STDERR_FILENO, &file, 0, 0) != 0)
    return (open_file){.flags = -1};
  return (open_file){file.st_dev, file.st_ino, flags & (O_ACCMODE | O_APPEND)};
}

void rec_start_messages(void) { first = find_standard_error(); }

bool rec_may_complain(void) {
  const open_file now = find_standard_error();
  return now.flags >= 0 && now.flags == first.flags && now.inode == first.inode &&
         now.device == first.device;
}

void rec_complain(char *line, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)line[i] < ' ' || line[i] == 0x7f) line[i] = '?';
  line[length] = '\n';
  SYSTEM_CALL(write, STDERR_FILENO, line, length + 1, 0);
}
