/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of a thread: its shadow stack, and a record for each call path.
 *
 * A record belongs to a call site in a context. Its context is the record of the call
 * that entered the function with the call site. So the records of a thread form a tree,
 * whose root is not a call. A recursive call enters the context that its function already
 * has on the path; the call's own record has a count but no children. Each sample is a
 * record, too: its `from` is the address at which the sample was taken, and its `self` is
 * 0.
 *
 * A table is changed only by its own thread. A signal handler that finds the table busy
 * uses a second table. Other threads may read the records at any time: a record is
 * complete before the number of used records in its block is published.
 */
#ifndef GPROF_RUNTIME_TABLE_H
#define GPROF_RUNTIME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/table_layout.h"
#include "runtime/visibility.h"

typedef struct record {
  struct record *context; /* where the call was made; NULL for roots */
  uintptr_t from;         /* return address of the call, or address of a sample; see
                             site_of() */
  uintptr_t self;         /* return address of the hook: identifies the callee */
  struct record *entered; /* the context of the callee. NULL in a sample, where `self` is
                              0, and in a note that the call site `from` is not in the
                              function of `context` */
  uint64_t count;
  struct record *next; /* next record in the same bucket */
  uint32_t number;     /* number in the table; the roots have the lowest numbers */
  uint16_t depth;      /* in frames */
  bool inside;         /* a call whose site is in the function of `context`, not, for
                          example, in a library that this function called */
  bool of_waiting : 1; /* in a table `waiting`, and not one of its roots */
  bool after_call : 1; /* `from` is a return address */
  struct record *follower; /* the call that last followed this one in the same place of
                              the shadow stack; at first, the call itself */
} record;

/* Returns an address in the line and the function of a call, or of a sample. A call that
 * does not return can be the last instruction of its function. */
static inline uintptr_t site_of(const record *r) { return r->from - r->after_call; }

/* The count of a record in the last snapshot, and how much of it earlier profiles
 * contain. */
typedef struct mark {
  uint64_t now, earlier;
} mark;

/* Records are allocated in blocks. A block follows when this one is full. */
typedef struct block {
  struct block *next;
  size_t used, capacity; /* in records */
  mark *marks;           /* one for each record; part of the block's memory, so that a
                            snapshot needs none */
  size_t marked;         /* number of the block's records in the last snapshot */
  _Alignas(RECORD_BYTES) record first[]; /* each fills a cache line */
} block;

/* A frame of the shadow stack. */
typedef struct slot {
  uintptr_t frame;   /* address of the word below the return address */
  uintptr_t returns; /* return address as stored on the stack; 0 in the first slot, and if
                        the function announces its end (see instrumented.c) */
  record *context;   /* context of the function; in the first slot, a root */
  record *call;      /* the call that made the frame; in the first slot, a root */
} slot;

/* Returns the return address that is stored above a frame. */
static inline uintptr_t return_address(uintptr_t frame) {
  return ((const uintptr_t *)frame)[1];
}

/* The part of a program stack that is in use, and its shadow. Each frame in this part has
 * a slot. The first slot has no frame: it stands for the caller of the outermost frame.
 * The addresses of frames descend from slot to slot. */
typedef struct window {
  uintptr_t low, size; /* the addresses where frames may begin */
  slot *slots, *top, *end;
} window;

/* A stack of the program. */
typedef struct stack {
  window saved; /* valid while the stack is not in use */
  uintptr_t low, high;
  struct stack *next;
  struct stack *chained; /* next in the same chain of the index */
} stack;

/* Counters of a table as a whole. */
typedef struct totals {
  uint64_t signals; /* number of signals from the timer */
  uint64_t inside;  /* ticks that fell in the recorder */
  uint64_t cpu;     /* processor time in nanoseconds */
} totals;

enum { ROOT, UNKNOWN_STACK, JOINED, ROOTS };

typedef struct thread {
  window now;       /* window of the stack in use */
  record **buckets; /* chains of records; see bucket_of() */
  size_t mask;      /* the number of buckets, a power of two, minus one */
  uintptr_t holder; /* stack pointer of the code that changes the table, or of its caller;
                       0: none does */
  bool instrumented; /* some functions announce their end */
  bool unknown; /* the stack in use is an unknown one: a mapping, parts of which may be
                   stacks of other coroutines, which the program can unmap */
  slot *cached_slots[CACHED_SLOTS];   /* of the stack in use, by frame */
  record *cached_calls[CACHED_CALLS]; /* by call site and frame; roots in free places */
  bool ended;    /* no thread uses the table; set after the thread's last change */
  bool changing; /* the table cannot be used until a change is complete */
  bool deferred; /* the table was made by a signal handler, because the thread's own table
                    was busy */
  bool has_timer; /* of the clock `timer` */
  bool of_waiting; /* the table is the table `waiting` of another one */
  bool full;       /* new contexts are joined, for lack of memory */
  stack *stack;    /* the stack in use */
  const struct rec_clock *clock; /* samples the thread; NULL: none (see clocks.h) */
  uint64_t random;  /* state of rec_random */
  int timer;
  uintptr_t event, first_event; /* of the clock `perf`: pages that keep events; 0: none */
  uint64_t period, due; /* of the event; when its next sample is due: nanoseconds */
  uint64_t counted; /* processor time for which samples stand, in nanoseconds */
  uint64_t left;    /* samples until the next event is made */
  bool is_new;      /* the thread has its first event */
  uint32_t asked;   /* of the clock `thread`: see clock_thread.c */
  uint64_t seen;    /* processor time at the last look */
  uint64_t looked;  /* ticks for which looks found the thread running */
  int id;           /* id of the thread that uses the table, or used it last */
  uint32_t number;  /* number of the table in this process, from 1 */
  uint32_t threads; /* number of threads that used the table, one after the other */
  uint32_t records;
  uint16_t deepest; /* deeper contexts make their calls in the joined context */
  uint64_t calls;   /* number of calls when the number of buckets last grew */
  block *blocks;         /* by number of record */
  block *newest;         /* the last of `blocks` */
  record *roots;         /* indexed by kind of root */
  stack *stacks;         /* all stacks of the thread; the last is the thread's own */
  stack **index;         /* chains of the stacks but the last, by `low` */
  size_t index_mask;     /* the number of chains, a power of two, minus one */
  size_t indexed;        /* the number of stacks in the index */
  stack *only_chain;     /* the index of a thread with few stacks */
  struct thread *second; /* the table for signal handlers */
  struct thread *waiting; /* the table for samples while the thread waits, whose contexts
                             are in this table; NULL if there is none */
  struct thread *next;   /* next in the list of all tables */
  uint64_t signals;      /* number of signals from the timer */
  uint64_t inside;       /* ticks that fell in the recorder */
  uint64_t queued;       /* ticks for the next sample, in which the thread was ready to
                            run, but did not run */
  uint64_t cpu;          /* processor time of ended threads in nanoseconds, an even
                            number. While a thread uses the table: minus its processor
                            time before its first call, plus RUNNING */
  char name[16];
  struct {
    uint32_t records;
    totals now, earlier; /* as in a mark */
  } taken;               /* the last snapshot */
  struct {
    uint64_t cpu;    /* the thread's processor time when it was looked at */
    uint64_t queued; /* time for which it was ready to run, but did not run */
    uint64_t rest;   /* part of that time, less than a tick, that is not yet counted */
    record *context; /* where it was waiting; NULL if it was running */
    uintptr_t at;
  } last;            /* in a table `waiting` */
  stack own_stack;
} thread;

#define RUNNING UINT64_C(1)

/* Makes the next call look up its stack. */
static inline void leave_window(thread *t) {
  t->now.low = UINTPTR_MAX;
  t->now.size = 0;
}

/* The id of the thread that uses a table, or used it last. */
static inline int id_of(const thread *t) {
  return __atomic_load_n(&t->id, __ATOMIC_RELAXED);
}

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Whether contexts of a table, which another thread may use, were joined. */
static inline bool rec_joins_contexts(const thread *t) {
  return __atomic_load_n(&t->full, __ATOMIC_RELAXED) ||
         __atomic_load_n(&t->deepest, __ATOMIC_RELAXED) != UINT16_MAX;
}

/* Keeps changes of a table in program order, as seen by signal handlers of its thread. */
#define BARRIER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Marks a table busy until rec_release; it must not be busy before. Whatever changes a
 * table holds it or blocks signals: a sample may be taken at any instruction. */
static inline void rec_hold(thread *t) {
  t->holder = (uintptr_t)__builtin_dwarf_cfa();
  BARRIER();
}

static inline void rec_release(thread *t) {
  BARRIER();
  t->holder = 0;
}

/* Between these calls, a table must not be taken back from its holder. */
static inline void begin_change(thread *t) {
  t->changing = true;
  BARRIER();
}

static inline void end_change(thread *t) {
  BARRIER();
  t->changing = false;
}

/* Adds to a counter of this thread's table, which other threads may read. */
static inline void add_to(uint64_t *counter, uint64_t more) {
  __atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

/* States of the recorder. Before the start, calls go to a small table, rec_early. After
 * the end, the recorder makes no system calls: the program has confined itself. */
enum { NOT_STARTED, RECORDING = STATE_RECORDING, PAUSED, ENDED };
HIDDEN extern int rec_state;

/* Pauses recording, or resumes it. */
void rec_switch(bool on);

/* This thread's table; NULL before its first call. */
HIDDEN extern _Thread_local thread *rec_own;

/* The list of all tables, and the limit of their total size in bytes. */
HIDDEN extern thread *rec_tables;
HIDDEN extern size_t rec_limit;

/* Allocates a table for the calling thread, which is on the stack from `low` to `high`.
 * Returns NULL if there is no memory. */
thread *rec_new_table(uintptr_t low, uintptr_t high);

/* Adds a complete table to the list. */
void rec_add_table(thread *t);

/* Releases a table that was left by longjmp, out of a signal handler, while it was being
 * changed. */
void rec_take_back(thread *t);

/* Prepares the tables of an ended thread, also those for signal handlers, for another
 * thread. */
void rec_reuse_table(thread *t, uintptr_t low, uintptr_t high);

/* Forgets all tables, in a forked child. Their memory is shared with the parent. */
void rec_forget_tables(void);

/* Returns the total size of all tables in bytes. */
size_t rec_memory(void);

/* Whether an allocation would fail without being tried, because one has failed shortly
 * before. */
bool rec_skips_allocation(void);

/* Finds a stack, or adds it. The context of its outermost frame is the root `root`. At
 * the memory limit, the thread forgets another stack. Returns NULL if there is no
 * memory. */
stack *rec_stack(thread *t, uintptr_t low, uintptr_t high, unsigned root);

/* Switches to a stack, of which only the part from `low` to `high` is in use. */
void rec_use_stack(thread *t, stack *s, uintptr_t low, uintptr_t high);

/* Doubles the capacity of the shadow stack; false if there is no memory. */
bool rec_grow_slots(thread *t);

/* Adds a slot above slot `at`. */
void rec_push(thread *t, slot *at, uintptr_t frame, uintptr_t returns, record *call);

/* Puts a slot, or a call with the callee's frame, into the cache where the hooks look
 * first. */
void rec_cache_slot(thread *t, slot *s);
void rec_cache_call(thread *t, record *call, uintptr_t frame);

/* Returns the call that the cache has for a call site and a frame, or a root. */
record *rec_cached_call(const thread *t, uintptr_t from, uintptr_t frame);

/* Finds the slot of the function that is running; frames at or below `frame` are ignored.
 * `pointer` is the function's frame pointer, if it has one. If no frame pointer leads to
 * a slot, returns the innermost slot, and sets *by_order. */
slot *rec_find_slot(const thread *t, uintptr_t frame, uintptr_t pointer, bool *by_order);

/* Returns the innermost slot, from `from` down, whose function has not returned. Frames
 * of unrecorded code may leave return addresses of earlier calls in memory. But a frame
 * has returned if one above it has: no frame above the result, as far as checked, has
 * returned. */
slot *rec_innermost(const thread *t, slot *from);

/* Returns the innermost slot of the function that contains an address; NULL if there is
 * none. */
slot *rec_slot_of_code(const thread *t, uintptr_t address);

/* Whether the code at an address is that to which signal handlers return: the system call
 * rt_sigreturn. The address may be any word. */
bool rec_is_signal_return(uintptr_t address);

/* Finds the record of a call from the function in slot `*at`, or adds it. If the call
 * site is in the function of another slot, sets `*at` to that slot. Returns NULL if there
 * is no memory. */
record *rec_find_call(thread *t, slot **at, uintptr_t from, uintptr_t self,
                      bool by_order);

/* Finds or adds the record of a call in a context, or in the joined context. Returns NULL
 * if there is no memory. */
record *rec_call_in(thread *t, record *context, uintptr_t from, uintptr_t self);

/* Adds `ticks` to the sample at address `at` in a context. */
void rec_add_sample(thread *t, record *context, uintptr_t at, uint64_t ticks);

/* Enters the calls that are active in another table of the same thread, without counting
 * them. */
void rec_copy_frames(thread *to, const thread *from);

#endif
