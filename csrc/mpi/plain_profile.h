/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profile that the C library records for a program compiled with -pg.
 *
 * The C library can write its profile only once: _mcleanup writes the file and frees the
 * tables. So the profile is written to a private directory, and __monstartup begins a new
 * one. At the end of the process, our own _mcleanup lets the C library write the rest to
 * a private directory, too, and makes the process's own file of it.
 */
#ifndef GP_MPI_PLAIN_PROFILE_H
#define GP_MPI_PLAIN_PROFILE_H

#include <stdbool.h>

#include "base/error.h"

typedef enum gp_taken {
  GP_TAKEN,
  GP_NO_PROFILE,   /* the process records none */
  GP_NOT_TAKEN     /* an error: the profile will be in the own file */
} gp_taken;

/* `prefix` is that of own files, unless GMON_OUT_PREFIX is set. It must stay. */
void gp_plain_start(const char *prefix);

/* Takes the profile; *file is then an open file. */
gp_taken gp_plain_take(int *file, gp_error *error);

/* See gp_own_settle and gp_own_resume. */
bool gp_plain_settle(bool in_sum, gp_error *error);
void gp_plain_resume(void);

#endif
