/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Library functions that never call the program: functions of glibc that take no function
 * as argument, and that use none that the program set before. doc/inclusive-time.md has
 * the conditions.
 */
#ifndef GP_PROFILE_CODE_QUIET_FUNCTIONS_H
#define GP_PROFILE_CODE_QUIET_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "object/libbfd.h"

typedef struct gp_quiet_functions {
  bool *quiet;      /* by number in .dynsym */
  size_t count;
} gp_quiet_functions;

/* Finds the imported functions of an ELF file that never call it. False if there is no
 * memory. */
bool gp_quiet_functions_find(gp_quiet_functions *found, bfd *file);
void gp_quiet_functions_free(gp_quiet_functions *found);

#endif
