/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of a thread's table, for the hooks in entry_*.S. calls.c checks these
 * offsets against the structures.
 */
#ifndef GPROF_RUNTIME_TABLE_LAYOUT_H
#define GPROF_RUNTIME_TABLE_LAYOUT_H

#define STATE_RECORDING 1

#define THREAD_LOW 0
#define THREAD_SIZE 8
#define THREAD_TOP 24
#define THREAD_END 32
#define THREAD_BUCKETS 40
#define THREAD_MASK 48
#define THREAD_HOLDER 56
#define THREAD_INSTRUMENTED 64
#define THREAD_UNKNOWN 65
#define THREAD_CACHED_SLOTS 72
#define THREAD_CACHED_CALLS (THREAD_CACHED_SLOTS + 8 * CACHED_SLOTS)

/* Numbers of places in the caches: powers of two. */
#define CACHED_SLOTS 256
#define CACHED_CALLS 256

/* SLOT_FRAME and SLOT_RETURNS, and other pairs, are loaded at once on AArch64. */
#define SLOT_FRAME 0
#define SLOT_RETURNS 8
#define SLOT_CONTEXT 16
#define SLOT_CALL 24
#define SLOT_BYTES 32
#define SLOT_SHIFT 5

#define RECORD_CONTEXT 0
#define RECORD_FROM 8
#define RECORD_SELF 16
#define RECORD_ENTERED 24
#define RECORD_COUNT 32
#define RECORD_NEXT 40
#define RECORD_INSIDE 54
#define RECORD_FOLLOWER 56
#define RECORD_BYTES 64

/* See bucket_of() in table.c. */
#define HASH_FROM 0x2c1b3c6d
#define HASH_KEY 0xd6e8feb86659fd93

#endif
