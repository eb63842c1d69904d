/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the program and the collector on a machine with an operating system. Records calls
 * only, since there is no timer interrupt. Compile without -finstrument-functions.
 */
#include <stdio.h>

#include "gmon.h"
#include "program.h"

/* defined by the linker */
extern char __executable_start[], etext[];

static void put(void *to, const void *bytes, size_t size) { fwrite(bytes, 1, size, to); }

int main(void) {
  gmon_start((uintptr_t)__executable_start, (uintptr_t)etext, 0);
  unsigned found = program();
  FILE *out = fopen("gmon.out", "wb");
  if (!out) return 1;
  gmon_write(put, out);
  return fclose(out) != 0 || found == 0 || gmon_lost() > 0;
}
