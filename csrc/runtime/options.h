/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's options, in the environment variable GPROF_RECORDER (see
 * doc/recorder.md).
 */
#ifndef GPROF_RUNTIME_OPTIONS_H
#define GPROF_RUNTIME_OPTIONS_H

#include <stdbool.h>

#include "runtime/table.h"

typedef struct options {
  int dump_signal; /* the signal for requests; 0 if the user chose none */
  bool anew;       /* each request by this signal begins a new profile */
  bool samples;    /* a program without -pg is recorded, too: its samples */
  bool no_paths;   /* without their call paths */
  unsigned part;   /* number of the first profile */
} options;

HIDDEN extern options rec_options;

/* Reads the options. Some set variables of other files. */
void rec_read_options(char **environment);

/* Reports invalid options, which are ignored. */
void rec_report_options(void);

#endif
