/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library that the recorder replaces, so that the program does not
 * notice its signals, and so that no end of the program goes unnoticed.
 */
#ifndef GPROF_RUNTIME_INTERCEPT_H
#define GPROF_RUNTIME_INTERCEPT_H

/* Writes the profile before SIGABRT ends the program. */
void rec_catch_abort(void);

#endif
