/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/snapshot.h"

#include "runtime/linux.h"

const thread *rec_taken_tables;

/* Returns the processor time of a table's threads, in nanoseconds. Tries again if a
 * thread begins or ends meanwhile. */
static uint64_t cpu_time(const thread *t) {
  uint64_t ended, running;
  do {
    ended = __atomic_load_n(&t->cpu, __ATOMIC_ACQUIRE);
    running = ended & RUNNING ? read_clock(thread_clock(id_of(t))) : 0;
  } while (__atomic_load_n(&t->cpu, __ATOMIC_ACQUIRE) != ended);
  return (ended & ~RUNNING) + running;
}

static void take_block(block *b) {
  b->marked = __atomic_load_n(&b->used, __ATOMIC_ACQUIRE);
  for (size_t i = 0; i < b->marked; i++)
    b->marks[i].now = __atomic_load_n(&b->first[i].count, __ATOMIC_RELAXED);
}

/* A block that the thread adds meanwhile is taken only if the block before it was taken
 * full. So the records of a snapshot have consecutive numbers. */
static void take_table(thread *t) {
  const uint64_t cpu = cpu_time(t);
  /* A thread that ends at this moment has no clock: then the time is less than 0. */
  if ((int64_t)cpu > (int64_t)t->taken.now.cpu) t->taken.now.cpu = cpu;
  t->taken.now.signals = __atomic_load_n(&t->signals, __ATOMIC_RELAXED);
  t->taken.now.inside = __atomic_load_n(&t->inside, __ATOMIC_RELAXED);
  t->taken.records = 0;
  for (block *b = t->blocks; b; b = next_taken(b)) {
    take_block(b);
    t->taken.records += (uint32_t)b->marked;
  }
}

void rec_take_snapshot(void) {
  thread *first = __atomic_load_n(&rec_tables, __ATOMIC_ACQUIRE);
  for (thread *t = first; t; t = t->next) take_table(t);
  rec_taken_tables = first;
}

void rec_begin_anew(void) {
  thread *first = (thread *)(uintptr_t)rec_taken_tables;
  for (thread *t = first; t; t = t->next) {
    t->taken.earlier = t->taken.now;
    for (block *b = t->blocks; b; b = next_taken(b))
      for (size_t i = 0; i < b->marked; i++) b->marks[i].earlier = b->marks[i].now;
  }
}

void rec_visit_records(rec_visitor *visit, void *into) {
  for (const thread *t = rec_taken_tables; t; t = t->next)
    for (block *b = t->blocks; b; b = next_taken(b))
      for (size_t i = 0; i < b->marked; i++)
        if (taken_count(b, i) > 0) visit(into, &b->first[i], taken_count(b, i));
}
