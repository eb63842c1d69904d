/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/threads.h"

#include <pthread.h>
#include <time.h>

#include "runtime/linux.h"
#include "runtime/lua_ticks.h"
#include "runtime/sampled_paths.h"
#include "runtime/sampling.h"
#include "runtime/stacks.h"
#include "runtime/waiting.h"

uint64_t rec_lost;

static pthread_key_t leaving; /* its destructor runs at the end of a thread */

static void set_key(void *table) { pthread_setspecific(leaving, table); }

/* Runs at the end of a thread. If the thread makes a call afterwards, it takes a table
 * again. */
static void leave(void *table) {
  thread *t = table;
  uint64_t pending = 0;
  if (rec_state == ENDED) return;
  SYSTEM_CALL(rt_sigpending, &pending, KERNEL_SIGSET, 0, 0);
  rec_check_pending(pending);
  rec_stop_clock(t);
  rec_end_thread_paths();
  const uint64_t before = block_signals();
  rec_end_alternate_stack();
  const uint64_t cpu = t->cpu + read_clock(CLOCK_THREAD_CPUTIME_ID);
  __atomic_store_n(&t->cpu, cpu & ~RUNNING, __ATOMIC_RELEASE);
  SYSTEM_CALL(prctl, 16 /* PR_GET_NAME */, t->name, 0, 0);
  rec_own = NULL;
  if (t == rec_lua.table) rec_lua.table = NULL;
  __atomic_store_n(&t->ended, !t->changing, __ATOMIC_RELEASE);
  restore_signals(before);
}

bool rec_start_threads(void) { return pthread_key_create(&leaving, leave) == 0; }

/* A table whose thread has ended; NULL while there is enough memory for more tables. */
static thread *ended_table(void) {
  if (rec_memory() < rec_limit / 2) return NULL;
  thread *t = __atomic_load_n(&rec_tables, __ATOMIC_ACQUIRE);
  while (t && !__atomic_exchange_n(&t->ended, false, __ATOMIC_ACQUIRE)) t = t->next;
  return t;
}

static thread *begin(uintptr_t frame) {
  if (rec_skips_allocation()) return NULL;
  const uint64_t before = block_signals();
  uintptr_t low, high;
  rec_own_stack(frame, &low, &high);
  thread *const ended = ended_table();
  if (ended) rec_reuse_table(ended, low, high);
  thread *t = ended ? ended : rec_new_table(low, high);
  if (t) {
    const int id = (int)SYSTEM_CALL(gettid, 0, 0, 0, 0);
    __atomic_store_n(&t->threads, t->threads + 1, __ATOMIC_RELAXED);
    for (thread *s = t; s; s = s->second) __atomic_store_n(&s->id, id, __ATOMIC_RELAXED);
    if (!ended) rec_add_table(t);
    const uint64_t used = read_clock(CLOCK_THREAD_CPUTIME_ID); /* before its first call */
    __atomic_store_n(&t->cpu, ((t->cpu - used) & ~RUNNING) | RUNNING, __ATOMIC_RELEASE);
    rec_start_clock(t);
    if (rec_samples_waiting()) rec_sample_waiting(t, low, high);
    rec_make_alternate_stack();
    rec_own = t;
    rec_preserve(set_key, t);
  }
  restore_signals(before & ~rec_sampling_signals());
  return t;
}

thread *rec_other_table(thread *t, uintptr_t frame) {
  if (!t) return begin(frame);
  while (t && rec_is_held(t, frame)) {
    if (!t->second) {
      thread *second = rec_new_table(t->own_stack.low, t->own_stack.high);
      if (!second) return NULL;
      second->deferred = true;
      second->id = t->id;
      rec_add_table(second);
      t->second = second;
    }
    t = t->second;
  }
  return t;
}

void rec_start_child(void) {
  const thread *parent = rec_own;
  rec_forget_tables();
  rec_lost = 0;
  rec_own = NULL;
  if (!parent) return;
  thread *t = begin((uintptr_t)__builtin_frame_address(0));
  if (!t) return;
  rec_hold(t);
  rec_copy_frames(t, parent);
  rec_release(t);
}
