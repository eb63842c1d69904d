/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options in the environment variable GPROF_MPI (see doc/mpi.md), and names of files.
 */
#ifndef GP_MPI_SETTINGS_H
#define GP_MPI_SETTINGS_H

#include <limits.h>
#include <stdbool.h>

typedef struct gp_settings {
  char output[PATH_MAX];  /* pattern of the sum's name; "" if it was not chosen */
  double timeout;         /* seconds */
  bool parts;             /* each rank also writes its own part of the sum */
} gp_settings;

/* Reads the options. Reports invalid ones if `report` is true. */
void gp_settings_read(gp_settings *settings, bool report);

/* What the placeholders in a pattern stand for. */
typedef struct gp_file_values {
  const char *program;    /* name of the program's file */
  int rank;
} gp_file_values;

/* Stores the name of the sum. Its suffix is ".NAME" if `distinct`, unless the pattern has
 * the name of the program. Returns false if the name is too long. */
bool gp_settings_name(const gp_settings *settings, const gp_file_values *values,
                      bool distinct, char name[PATH_MAX]);

#endif
