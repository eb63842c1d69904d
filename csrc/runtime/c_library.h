/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library, under names that the recorder does not replace.
 */
#ifndef GPROF_RUNTIME_C_LIBRARY_H
#define GPROF_RUNTIME_C_LIBRARY_H

#include <signal.h>

int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

#endif
