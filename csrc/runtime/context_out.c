/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/context_out.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/clocks.h"
#include "runtime/linux.h"
#include "runtime/modules.h"
#include "runtime/output.h"
#include "runtime/snapshot.h"
#include "runtime/text.h"
#include "runtime/threads.h"
#include "runtime/waiting.h"

#define VERSION 1
#define BYTE_ORDER_MARK 0x01020304

/* Section kinds, as stored in the file. */
enum { END, PROCESS, MODULES, TABLE };

/* Flags of a process. Those of clocks follow, rec_obstacles, EXECUTES, and the kernel's
 * tick. */
enum { JOINED_PATHS = 1, WALL_CLOCK = 2, FIRST_CLOCK = 4 };
#define EXECUTES UINT32_C(256)
#define TICK_SHIFT 16
#define TICK_UNIT 10000 /* nanoseconds */

/* The value of `entered` in records that readers must ignore. */
#define IGNORED UINT32_MAX

/* Every section begins with its kind and the number of bytes that follow. */
static void put_section(uint32_t kind, uint64_t size) {
  rec_put_u32(kind);
  rec_put_u64(size);
}

static void put_bytes(const void *bytes, size_t size) {
  rec_put_u32((uint32_t)size);
  rec_put(bytes, size);
}

/* Reads the start of a file in /proc. */
static size_t read_start(const char *path, char *bytes, size_t size) {
  const long file = SYSTEM_CALL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  size_t used = 0;
  for (long now = 1; now > 0 && used < size;) {
    now = SYSTEM_CALL(read, file, bytes + used, size - used, 0);
    if (now > 0) used += (size_t)now;
  }
  SYSTEM_CALL(close, file, 0, 0, 0);
  return used;
}

/* Whether contexts were joined, because there were too many. */
static bool joined(void) {
  const thread *t = rec_taken_tables;
  while (t && !rec_joins_contexts(t)) t = t->next;
  return t;
}

/* The clocks that have sampled threads, and the resolution of the slowest. */
static uint32_t clock_flags(void) {
  uint32_t flags = 0;
  for (unsigned i = 0; i < CLOCKS_IN_FILE; i++)
    if (__atomic_load_n(&rec_clock_threads[i], __ATOMIC_RELAXED))
      flags |= FIRST_CLOCK << i;
  const uint64_t tick = rec_kernel_tick() / TICK_UNIT;
  return flags ? flags | (uint32_t)(tick < UINT16_MAX ? tick : UINT16_MAX) << TICK_SHIFT
               : 0;
}

static void put_process(const process *about) {
  static char command[1 << 16];
  const size_t size = read_start("/proc/self/cmdline", command, sizeof command);
  put_section(PROCESS, 9 * sizeof(uint64_t) + 3 * sizeof(uint32_t) + size);
  rec_put_u64((uint64_t)about->id);
  rec_put_u64((uint64_t)about->parent);
  rec_put_u64(about->begin);
  rec_put_u64(about->end);
  rec_put_u64(rec_limit);
  rec_put_u64(about->lost);
  rec_put_u64((uint64_t)rec_clock_error);
  rec_put_u64(about->code_low);
  rec_put_u64(about->code_high);
  rec_put_u32(rec_rate);
  rec_put_u32((joined() ? JOINED_PATHS : 0) | (rec_wall ? WALL_CLOCK : 0) |
              (about->executes ? EXECUTES : 0) | clock_flags() | rec_obstacles);
  put_bytes(command, size);
}

static uint64_t module_size(const module *m) {
  return 5 * sizeof(uint64_t) + 3 * sizeof(uint32_t) + m->build_id_size + strlen(m->path);
}

static void put_module(const module *m) {
  rec_put_u64(m->bias);
  rec_put_u64(m->low);
  rec_put_u64(m->high);
  rec_put_u64(m->code);
  rec_put_u64(m->code_end);
  rec_put_u32(is_closed(m));
  put_bytes(m->build_id, m->build_id_size);
  put_bytes(m->path, strlen(m->path));
}

/* Returns the module after `m` in both lists; the first one if that is NULL. A module
 * that moves to the second list meanwhile is not missed, because its start is read
 * last. */
static module *next_module(const module *m, bool *reserved) {
  module *next = NULL;
  if (!*reserved)
    next = __atomic_load_n(m ? &m->next : &rec_modules, __ATOMIC_ACQUIRE);
  else if (m)
    return __atomic_load_n(&m->next_reserved, __ATOMIC_ACQUIRE);
  if (next || *reserved) return next;
  *reserved = true;
  return __atomic_load_n(&rec_reserved_modules, __ATOMIC_ACQUIRE);
}

/* Other threads may add, move and replace modules meanwhile. */
static void put_modules(void) {
  uint64_t size = sizeof(uint32_t);
  uint32_t count = 0;
  bool reserved = false;
  for (module *m = NULL; (m = next_module(m, &reserved));) {
    if (m->replaced || m->listed) continue;
    m->listed = true;
    size += module_size(m);
    count++;
  }
  put_section(MODULES, size);
  rec_put_u32(count);
  reserved = false;
  for (module *m = NULL; count > 0 && (m = next_module(m, &reserved));) {
    if (!m->listed) continue;
    put_module(m);
    m->listed = false;
    count--;
  }
}

/* --- tables ----------------------------------------------------------------- */

/* Copies the name that an ended thread had; returns its length. */
static size_t last_name(const thread *t, char *name) {
  memcpy(name, t->name, sizeof t->name);
  return strnlen(name, sizeof t->name);
}

/* Copies the name of a thread; returns its length. A thread that made a call at its very
 * end has a table that is not marked as ended. Then an earlier table has its name. */
static size_t thread_name(const thread *t, char *name, size_t size) {
  if (__atomic_load_n(&t->ended, __ATOMIC_ACQUIRE)) return last_name(t, name);
  char path[64];
  text built = begin_text(path, sizeof path);
  add_text(&built, "/proc/self/task/");
  add_number(&built, (uint64_t)id_of(t));
  add_text(&built, "/comm");
  const size_t used = read_start(path, name, size);
  if (used > 0) return name[used - 1] == '\n' ? used - 1 : used;
  const thread *other = rec_taken_tables;
  while (other && !(id_of(other) == id_of(t) && last_name(other, name) > 0))
    other = other->next;
  return other ? last_name(other, name) : 0;
}

/* The number of a context in the file. There, the records of a table `waiting` follow
 * those of its thread: their numbers are larger by `moved`. */
static uint32_t number_of(const record *context, uint32_t moved) {
  return context->number + (context->of_waiting ? moved : 0);
}

/* Writes a record, whose number in the file is `number`. */
static void put_record(const record *r, uint32_t number, uint32_t moved, uint64_t count) {
  uint32_t entered = number;
  if (r->self != 0) entered = r->entered ? number_of(r->entered, moved) : IGNORED;
  rec_put_u32(r->context ? number_of(r->context, moved) : number);
  rec_put_u32(entered);
  rec_put_u64(site_of(r));
  rec_put_u64(r->self);
  rec_put_u64(count);
}

#define RECORD_SIZE (2 * sizeof(uint32_t) + 3 * sizeof(uint64_t))

/* Writes the records of a table, but not the first `skipped` ones. The number of the
 * first record in the file is `number`. */
static void put_records(const thread *t, uint32_t skipped, uint32_t number) {
  const uint32_t moved = number - skipped;
  for (const block *b = t->blocks; b; b = next_taken(b))
    for (size_t i = 0; i < b->marked; i++)
      if (b->first[i].number >= skipped)
        put_record(&b->first[i], number++, moved, taken_count(b, i));
}

/* The table with samples in the last snapshot, taken while the thread waited; NULL if
 * there is none. A table is newer than the table whose contexts it uses, so it was taken
 * before that table. */
static const thread *samples_of_waiting(const thread *t) {
  const thread *waiting = __atomic_load_n(&t->waiting, __ATOMIC_ACQUIRE);
  return waiting && waiting->taken.records > ROOTS ? waiting : NULL;
}

static void put_table(const thread *t) {
  char name[32];
  const size_t name_size = thread_name(t, name, sizeof name);
  const totals *const now = &t->taken.now, *const earlier = &t->taken.earlier;
  const thread *const waiting = samples_of_waiting(t);
  const uint32_t own = t->taken.records;
  const uint32_t all = own + (waiting ? waiting->taken.records - ROOTS : 0);
  put_section(TABLE, 6 * sizeof(uint32_t) + 3 * sizeof(uint64_t) + name_size +
                         (uint64_t)all * RECORD_SIZE);
  rec_put_u32(t->number);
  rec_put_u32((uint32_t)id_of(t));
  rec_put_u32(__atomic_load_n(&t->threads, __ATOMIC_RELAXED));
  rec_put_u32(t->deferred);
  rec_put_u64(now->cpu - earlier->cpu);
  rec_put_u64(now->signals - earlier->signals);
  rec_put_u64(now->inside - earlier->inside);
  put_bytes(name, name_size);
  rec_put_u32(all);
  put_records(t, 0, 0);
  if (waiting) put_records(waiting, ROOTS, own);
}

void rec_put_contexts(const process *about) {
  rec_begin_sum();
  rec_put("gprofctx", 8);
  rec_put_u32(BYTE_ORDER_MARK);
  rec_put_u16(VERSION);
  rec_put_u16(sizeof(void *));
  put_process(about);
  put_modules();
  for (const thread *t = rec_taken_tables; t; t = t->next)
    if (!t->of_waiting) put_table(t);
  put_section(END, sizeof(uint32_t));
  rec_put_u32(rec_output_sum());
}
