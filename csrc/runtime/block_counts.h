/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts of the block counter (blocks.c), if it is part of the program. The recorder
 * then writes them: the block counter itself would write to the same file.
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

/* Writes the record of the snapshot. */
void rec_put_blocks(void);

/* Makes the next profile begin at the present snapshot. */
void rec_begin_blocks_anew(void);

#endif
