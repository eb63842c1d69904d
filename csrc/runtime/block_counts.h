/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the counts of the block counter (blocks.c) if the program contains it. On its
 * own, the block counter would write to the file that the recorder writes.
 */
#ifndef GPROF_RUNTIME_BLOCK_COUNTS_H
#define GPROF_RUNTIME_BLOCK_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the block counter, and takes over its output. */
void rec_find_blocks(void);

/* Whether the program has the block counter. */
bool rec_has_blocks(void);

/* Takes a snapshot of the counts since the profile began. Returns their sum. */
uint64_t rec_take_blocks(void);

/* Writes the block record of gmon.out from the snapshot. */
void rec_put_blocks(void);

/* Makes the next profile begin at the present snapshot. */
void rec_begin_blocks_anew(void);

#endif
