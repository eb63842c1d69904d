/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same program and the same collector on a machine that has an operating system, to
 * try them there: calls only, as there is no clock here. Compiled without
 * -finstrument-functions.
 */
#include <stdio.h>

#include "gmon.h"
#include "program.h"

/* from the linker */
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
