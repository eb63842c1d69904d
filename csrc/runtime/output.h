/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes files, under temporary names until they are complete, by the rules of the core
 * (see base/writer.h). Does not use the C library's files or memory, so signal handlers
 * may write.
 */
#ifndef GPROF_RUNTIME_OUTPUT_H
#define GPROF_RUNTIME_OUTPUT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/file_names.h"

/* Stands for an errno: a profile does not replace another file, such as the program. No
 * system call that writes files fails with this one. */
#define REC_NOT_A_PROFILE EMEDIUMTYPE

/* Finds what a path leads to, and sets the temporary name beside it. Links are followed
 * only if the user has typed the path. Returns 0, or an errno if the target must not be
 * replaced: it may be missing, or a regular file that is empty or begins with one of
 * `magics` (of at most 8 bytes, then NULL). A path that the user has typed may also lead
 * to a character device, which sets *is_device. */
int rec_find_target(file_name *f, const char *const *magics, bool *is_device);

/* Opens the output file, under a temporary name that remains valid until the file is
 * closed. Only one file can be open at a time. */
bool rec_open_output(const char *path);

/* Opens a device, which is written to directly. */
bool rec_open_device(const char *path);

/* Uses an open file, which rec_close_output leaves open. */
void rec_borrow_output(int file);

void rec_put(const void *bytes, size_t size);
void rec_put_u16(uint16_t number);
void rec_put_u32(uint32_t number);
void rec_put_u64(uint64_t number);

/* CRC-32 (of zlib and gzip) of all bytes between these calls. */
void rec_begin_sum(void);
uint32_t rec_output_sum(void);

/* Closes the file. `error` is 0, or the errno of a failure of the caller. If anything
 * failed, removes the file, and returns the errno of the first failure; otherwise
 * returns 0. */
int rec_close_output(int error);

/* Gives two closed files their names, while no other recorded program does so in the same
 * directory. If that fails for one, the old files stay, and the new ones are removed. On
 * file systems that cannot exchange files, such as NFS, the first may have its name. Sets
 * the errors to errnos or 0. */
void rec_rename_both(const file_name *first, int *first_error, const file_name *second,
                     int *second_error);

/* Removes a closed file. */
void rec_remove_output(const char *path);

#endif
