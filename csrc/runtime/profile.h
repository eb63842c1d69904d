/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the profile: gmon.out, and the context profile beside it. If profiles begin anew
 * while the program runs, the later ones have numbers: gmon.out-2, gmon.out-3.
 */
#ifndef GPROF_RUNTIME_PROFILE_H
#define GPROF_RUNTIME_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* errno if the file of the option `dump-file` is not watched. */
extern int rec_dump_file_error;

/* Sets the bounds of the program's code, as loaded, for the histogram. */
void rec_set_code(uintptr_t low, uintptr_t high);

/* Begins the profile of this process. Its file names contain the process id if `numbered`
 * is true, and the number of the profile, `first`, unless that is 1. A `forked` child
 * without calls and with few samples writes none. */
void rec_begin_profile(char **environment, bool numbered, unsigned first, bool forked);

/* Writes no profile without calls and with samples of less than 10 ms. */
void rec_omit_short_profile(void);

/* Returns the number of the first profile of the program that replaces this one. */
unsigned rec_next_part(void);

/* Whether this process began the profile. False in a child made by vfork, which shares
 * the tables with its parent. */
bool rec_own_profile(void);

/* Writes the profile when the program ends. Does so only if something was recorded since
 * the profile was last written. */
void rec_write_profile(void);

/* Does the same before the program executes another one in its place, and notes that in
 * the profile. */
void rec_write_before_exec(void);

/* Notes that the program goes on although its end has written the profile. */
void rec_go_on(void);

/* Forks a child that calls `prepare` and, unless this returns true, writes the profile as
 * the program would. Returns whether it has survived. */
bool rec_try_writing(bool (*prepare)(void *), void *argument);

/* Writes the profile while the program runs, unless its end has written it. Then begins a
 * new one if `anew` is true and the files are complete. Returns 0 or an errno. Uses no
 * thread-local storage. */
int rec_write_present(bool anew);

/* Writes the profile to two open files: gmon.out and the context profile. Returns 0,
 * ENODATA if this process has nothing to write, or another errno. After success,
 * rec_write_present fails with EBUSY until the loan ends. */
int rec_lend_profile(int gmon, int contexts);

/* Ends the loan. If `drop` is true, a new profile begins at the moment of the loan; it is
 * not written at the end of the program if nearly nothing was recorded in it. Does
 * nothing after an end of the program has written the profile meanwhile. */
void rec_end_loan(bool drop);

/* Returns the path of the last context profile that rec_write_present wrote. */
const char *rec_context_path(void);

#endif
