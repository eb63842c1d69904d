/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Identifies the program of this process.
 */
#ifndef GP_MPI_PROGRAM_H
#define GP_MPI_PROGRAM_H

#include <stdint.h>

typedef struct gp_program {
  char id[160];         /* its build ID or, without one, size and checksum of its file */
  char name[256];       /* last part of its path */
  uint64_t bias;        /* load address minus link-time address */
} gp_program;

void gp_program_find(gp_program *program);

#endif
