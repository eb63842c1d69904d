/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts of all tables at one moment, for the two files of a profile. Threads keep
 * counting while a snapshot is taken and written. Counters never go back to 0: a profile
 * that begins anew subtracts the counts of the earlier ones.
 */
#ifndef GPROF_RUNTIME_SNAPSHOT_H
#define GPROF_RUNTIME_SNAPSHOT_H

#include "runtime/table.h"

void rec_take_snapshot(void);

/* Makes the next profile begin at the present snapshot. */
void rec_begin_anew(void);

/* The newest table in the snapshot; `next` leads to the others. */
HIDDEN extern const thread *rec_taken_tables;

/* Returns the next block in the snapshot, or NULL. Blocks that the thread has added since
 * have no marked records. */
static inline block *next_taken(const block *b) {
  return b->marked < b->capacity ? NULL : __atomic_load_n(&b->next, __ATOMIC_ACQUIRE);
}

/* Returns the count of a record in the snapshot, since the profile began. */
static inline uint64_t taken_count(const block *b, size_t i) {
  return b->marks[i].now - b->marks[i].earlier;
}

/* Calls `visit` for each call and each sample that has a count in the snapshot. */
typedef void rec_visitor(void *into, const record *r, uint64_t count);
void rec_visit_records(rec_visitor *visit, void *into);

#endif
