/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call paths of an image: which calls led to each call and each sample.
 *
 * A context is a path of calls. It is identified by the context of the caller, its
 * parent, and a call site. The root is the context at which all paths begin. Functions
 * outside the image are left out, so a call from a library is in the context of the
 * function that called the library.
 */
#ifndef GP_GMON_CONTEXTS_CALL_PATHS_H
#define GP_GMON_CONTEXTS_CALL_PATHS_H

#include "base/error.h"
#include "base/hash.h"

/* Pairs of numbers, each with an amount. */
typedef struct gp_pairs {
  size_t count, capacity;
  uint64_t *first, *second;
  uint64_t *amount;
  gp_hash index;
} gp_pairs;

/* Initializes an empty table. Its address must not change afterwards. */
void gp_pairs_init(gp_pairs *pairs);
void gp_pairs_free(gp_pairs *pairs);

/* Returns the row of a pair, which is added if it is new; GP_NONE if there is no
 * memory. */
uint32_t gp_pairs_row(gp_pairs *pairs, uint64_t first, uint64_t second);

/* Flags of a process: call paths were joined; samples are of wall-clock time; a bit for
 * each clock that sampled threads; the program took, or blocked, their signal; and the
 * kernel's tick, in units of 10 microseconds. Other bits are ignored. */
enum { GP_CONTEXT_JOINED = 1, GP_CONTEXT_WALL = 2, GP_CONTEXT_CLOCKS = 0xfc };

/* Flag of a process that executed another program next. Only gp_context_find_origin reads
 * it. */
enum { GP_CONTEXT_EXECUTES = 256 };

#define GP_CONTEXT_TICK UINT32_C(0xffff0000)

/* Joins the flags of two processes, except GP_CONTEXT_WALL, which `flags` keeps. */
static inline uint32_t gp_join_flags(uint32_t flags, uint32_t other) {
  uint32_t tick = flags & GP_CONTEXT_TICK, other_tick = other & GP_CONTEXT_TICK;
  flags |= other & (GP_CONTEXT_JOINED | GP_CONTEXT_CLOCKS);
  return (flags & ~GP_CONTEXT_TICK) | (other_tick > tick ? other_tick : tick);
}

/* Contexts have numbers. The root is 0; the context of row n of `contexts` is n + 1, and
 * its parent has a lower number. Addresses are those of gp_arcs and histograms. */
typedef struct gp_call_paths {
  bool known;          /* call paths were added, even if there are no calls */
  gp_pairs sites;      /* call sites: addresses of the call and the callee */
  gp_pairs contexts;   /* parent and row of the call site */
  gp_pairs samples;    /* context and address; the amount is ticks. If it is 0: where
                          coroutines were created with the function of the context */
  gp_pairs indirect;   /* context of the caller and address of the callee, for calls from
                          outside the image; the amount is calls */
  uint64_t ticks;      /* of all samples */
  uint64_t unknown_stack_ticks;  /* of samples on unknown stacks */
  uint64_t calls;      /* all calls, from inside and outside the image */
  uint64_t signals;    /* signals of the timers, in any code; each is a sample */
  uint64_t signal_ticks;  /* ticks that these stand for: a late signal has several */
  uint64_t inside;     /* of these, ticks in the recorder's own code */
  uint64_t cpu;        /* processor time in nanoseconds; 0 if unknown, or if no samples
                          of it were taken */
  uint32_t flags;      /* of the processes: see above */
  uint32_t *renumbered;  /* scratch of gp_call_paths_merge */
} gp_call_paths;

#define GP_ROOT_CONTEXT UINT32_C(0)

/* Initializes an empty table. Its address must not change afterwards. */
void gp_call_paths_init(gp_call_paths *paths);
void gp_call_paths_free(gp_call_paths *paths);

/* Sets *context to the context of a call, which is added if it is new. Fails if there is
 * no memory. */
bool gp_call_paths_enter(gp_call_paths *paths, uint32_t parent, uint64_t from,
                         uint64_t self, uint32_t *context, gp_error *error);

/* Adds calls to `self` in the context of their caller. Errors: no memory; a sum of 2^63
 * or more. */
bool gp_call_paths_add_calls(gp_call_paths *paths, uint32_t context, uint64_t self,
                             uint64_t calls, bool indirect, gp_error *error);

/* Like gp_call_paths_add_calls, for samples. */
bool gp_call_paths_add_ticks(gp_call_paths *paths, uint32_t context, uint64_t address,
                             uint64_t ticks, gp_error *error);

/* Adds signals, and ticks that signals stand for. Fails if a sum is 2^63 or more. */
bool gp_call_paths_add_signals(gp_call_paths *paths, uint64_t signals, uint64_t ticks,
                               gp_error *error);

/* Adds the totals of a table. The errors are those of gp_call_paths_add_signals. */
bool gp_call_paths_add_table(gp_call_paths *paths, uint64_t signals, uint64_t inside,
                             uint64_t cpu, gp_error *error);

/* Returns the mean number of ticks per sample, at least 1. */
static inline double gp_call_paths_ticks_per_sample(const gp_call_paths *paths) {
  return paths->signals > 0 && paths->signal_ticks > paths->signals
             ? (double)paths->signal_ticks / (double)paths->signals
             : 1;
}

/* Makes all allocations for adding `other`, so that gp_call_paths_merge cannot fail.
 * Errors: no memory; a sum of 2^63 or more. */
bool gp_call_paths_reserve(gp_call_paths *paths, const gp_call_paths *other,
                           gp_error *error);

/* Adds all paths of `other`, after gp_call_paths_reserve for the same paths. */
void gp_call_paths_merge(gp_call_paths *paths, const gp_call_paths *other);

/* Adds all paths of `other`, which can only be freed afterwards. The first paths of a sum
 * are moved, not copied. The errors are those of gp_call_paths_reserve. */
bool gp_call_paths_take(gp_call_paths *paths, gp_call_paths *other, gp_error *error);

#endif
