/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes files, under temporary names until they are complete. Does not use the C
 * library's files or memory, so signal handlers may write.
 */
#ifndef GPROF_RUNTIME_OUTPUT_H
#define GPROF_RUNTIME_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 0, or an errno if `name` is a directory, device, pipe or socket: a file must
 * not replace these. */
int rec_check_target(const char *name);

/* Opens the output file, under a temporary name that remains valid until the file is
 * closed. Only one file can be open at a time. */
bool rec_open_output(const char *path);

/* Uses an open file, which rec_close_output leaves open. */
void rec_borrow_output(int file);

void rec_put(const void *bytes, size_t size);
void rec_put_u16(uint16_t number);
void rec_put_u32(uint32_t number);
void rec_put_u64(uint64_t number);

/* CRC-32 (of zlib and gzip) of all bytes so far. */
uint32_t rec_output_sum(void);

/* Closes the file. `error` is 0, or the errno of a failure of the caller. If anything
 * failed, removes the file, and returns the errno of the first failure; otherwise
 * returns 0. */
int rec_close_output(int error);

/* Renames a closed file. On failure, removes it and returns the errno; otherwise
 * returns 0. */
int rec_rename_output(const char *path, const char *name);

/* Removes a closed file. */
void rec_remove_output(const char *path);

#endif
