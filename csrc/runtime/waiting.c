/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "runtime/clocks.h"
#include "runtime/linux.h"
#include "runtime/sampled_paths.h"
#include "runtime/text.h"

/* Maximum number of slots that are copied and checked. */
#define CHECKED 64

/* How far the main thread's stack may have grown since its last recorded call. */
#define GROWTH ((uintptr_t)1 << 20)

bool rec_wall;
int rec_waiting_error;

bool rec_samples_waiting(void) { return rec_wall && rec_rate > 0; }

/* --- what the kernel says ---------------------------------------------------- */

/* Reads a line about a thread. Returns its end; NULL if it cannot be read. */
static const char *read_line(int id, const char *file, char line[256]) {
  char path[64];
  text name = begin_text(path, sizeof path);
  add_text(&name, "/proc/thread-self/../");
  add_number(&name, (uint64_t)id);
  add_text(&name, file);
  const long opened = SYSTEM_CALL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  const long size = opened < 0 ? opened : SYSTEM_CALL(read, opened, line, 256, 0);
  if (opened >= 0) SYSTEM_CALL(close, opened, 0, 0, 0);
  return size > 0 && line[size - 1] == '\n' ? line + size - 1 : NULL;
}

bool rec_knows_waiting(int id) {
  char line[256];
  return read_line(id, "/syscall", line);
}

bool rec_is_runnable(int id) {
  char line[256] = "";
  return read_line(id, "/syscall", line) && line[0] == 'r';
}

/* Where a thread waits. */
typedef struct place {
  bool in_call; /* in a system call; otherwise, for example, for a page of memory */
  uintptr_t stack, at;
} place;

/* Reads the hexadecimal number before `*end`, and moves `*end` to the blank before the
 * number. */
static uintptr_t last_number(const char *line, const char **end) {
  uintptr_t number = 0;
  const char *at = *end;
  for (unsigned shift = 0; at > line && at[-1] != 'x'; shift += 4) {
    const char digit = *--at;
    if (shift < 64)
      number |= (uintptr_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10) << shift;
  }
  *end = at - line > 3 ? at - 3 : line;
  return number;
}

/* Finds where a thread waits; false if it does not wait. The line is "running", or
 * "NUMBER ARGUMENT... STACK-POINTER PROGRAM-COUNTER", where NUMBER is the system call or
 * -1. */
static bool find_place(int id, place *found) {
  char line[256] = "";
  const char *end = read_line(id, "/syscall", line);
  if (!end || line[0] == 'r') return false;
  found->in_call = line[0] != '-';
  found->at = last_number(line, &end);
  found->stack = last_number(line, &end);
  return true;
}

/* Returns the time in nanoseconds that a thread was ready to run, but did not; 0 if
 * unknown. The line is "RUN-TIME DELAY SLICES". */
static uint64_t queued_time(int id) {
  char line[256] = "";
  const char *end = read_line(id, "/schedstat", line), *at = line;
  if (!end) return 0;
  while (at < end && *at != ' ') at++;
  uint64_t number = 0;
  while (++at < end && *at != ' ') number = number * 10 + (uint64_t)(*at - '0');
  return number;
}

/* --- its context ------------------------------------------------------------ */

/* Copies up to CHECKED slots of a window, the last of which is the innermost one with a
 * frame above the stack pointer. Returns their number; 0 if they cannot be copied. */
static size_t copy_slots(const window *w, uintptr_t pointer, slot copied[CHECKED]) {
  for (const slot *end = w->top + 1; end > w->slots;) {
    size_t count = (size_t)(end - w->slots);
    if (count > CHECKED) count = CHECKED;
    end -= count;
    if (!copy_memory(copied, (uintptr_t)end, count * sizeof *copied)) return 0;
    /* copied by the kernel: NOLINTNEXTLINE(clang-analyzer-core.*) */
    while (count > 0 && copied[count - 1].frame <= pointer) count--;
    if (count > 0) return count;
  }
  return 0;
}

/* Copies words. Those from the first one on that is not mapped do not change. */
static void copy_words(uintptr_t *into, const struct iovec *words, size_t count) {
  const struct iovec to = {into, count * sizeof *into};
  system_call(SYS_process_vm_readv, SYSTEM_CALL(gettid, 0, 0, 0, 0), (long)&to, 1,
              (long)words, (long)count, 0);
}

/* Returns the number of slots, counted from the outermost, whose frames still exist: the
 * frames below one that has returned have returned, too. */
static size_t count_existing(const slot *slots, size_t count) {
  uintptr_t returns[CHECKED];
  struct iovec there[CHECKED] = {{0}};
  for (size_t i = 0; i < count; i++) {
    /* copied by the kernel: NOLINTNEXTLINE(clang-analyzer-core.*) */
    const bool is_certain = slots[i].returns == 0;
    const uintptr_t at =
        is_certain ? (uintptr_t)&slots[i].returns : slots[i].frame + sizeof *returns;
    there[i] = (struct iovec){(void *)at, sizeof *returns};
    returns[i] = ~slots[i].returns;
  }
  copy_words(returns, there, count);
  size_t existing = 0;
  while (existing < count && returns[existing] == slots[existing].returns) existing++;
  return existing;
}

static record *context_of(const thread *t, const window *w, uintptr_t pointer) {
  slot slots[CHECKED];
  const size_t count = copy_slots(w, pointer, slots);
  if (count == 0) return NULL;
  const size_t existing = count_existing(slots, count);
  return existing > 0 ? slots[existing - 1].context : &t->roots[UNKNOWN_STACK];
}

/* A thread changes its window and its stack without atomic operations. What is read here
 * counts only if the thread did not run meanwhile. */
#define RACES __attribute__((no_sanitize("thread")))

/* Reads the window in use. */
RACES static window read_window(const thread *t) {
  return (window){__atomic_load_n(&t->now.low, __ATOMIC_ACQUIRE),
                  __atomic_load_n(&t->now.size, __ATOMIC_ACQUIRE),
                  __atomic_load_n(&t->now.slots, __ATOMIC_ACQUIRE),
                  __atomic_load_n(&t->now.top, __ATOMIC_ACQUIRE),
                  __atomic_load_n(&t->now.end, __ATOMIC_ACQUIRE)};
}

/* Whether an address is in the stack in use. */
RACES static bool is_on_stack(const thread *t, uintptr_t address) {
  const stack *s = __atomic_load_n(&t->stack, __ATOMIC_ACQUIRE);
  return address >= __atomic_load_n(&s->low, __ATOMIC_ACQUIRE) - GROWTH &&
         address < __atomic_load_n(&s->high, __ATOMIC_ACQUIRE);
}

/* Copies the window in use; false if the thread is changing it. */
static bool copy_window(const thread *t, window *w) {
  *w = read_window(t);
  const window again = read_window(t);
  return memcmp(w, &again, sizeof again) == 0;
}

RACES static uintptr_t self_of(const record *context) { return context->self; }

/* Copies up to 64 KiB of a thread's own stack, from its stack pointer upwards. The bounds
 * are 0 if that fails. */
RACES static stack_bounds copy_stack(const thread *t, uintptr_t pointer) {
  static _Alignas(uintptr_t) char copied[1 << 16];
  const uintptr_t high = __atomic_load_n(&t->own_stack.high, __ATOMIC_ACQUIRE);
  const size_t size = high - pointer < sizeof copied ? high - pointer : sizeof copied;
  const bool is_copied = pointer % sizeof(uintptr_t) == 0 && pointer < high &&
                         copy_memory(copied, pointer, size);
  return is_copied ? (stack_bounds){pointer, pointer + size, (uintptr_t)copied - pointer}
                   : (stack_bounds){0, 0, 0};
}

/* --- samples ---------------------------------------------------------------- */

/* Finds the context and the address for samples of a thread that waits, and has used
 * `cpu` nanoseconds; NULL if it runs meanwhile. A system call counts for the innermost
 * function that is recorded. */
static record *find_sample(const thread *t, int clock, uint64_t cpu, uintptr_t *at) {
  place now;
  window w;
  if (!find_place(id_of(t), &now) || !copy_window(t, &w)) return NULL;
  record *context = &t->roots[UNKNOWN_STACK];
  if (is_on_stack(t, now.stack))
    context = context_of(t, &w, now.stack);
  const bool is_recorded = context != &t->roots[ROOT];
  stack_bounds copied;
  if (!is_recorded) copied = copy_stack(t, now.stack);
  if (read_clock(clock) != cpu) return NULL;
  /* Synchronizes with the thread, which has published the context's record. */
  __atomic_load_n(&t->records, __ATOMIC_ACQUIRE);
  if (!is_recorded) context = rec_path_of_waiting(t->waiting, now.at, now.stack, copied);
  if (!context) return NULL;
  const uintptr_t self = self_of(context);
  *at = is_recorded && now.in_call && self != 0 ? self : now.at;
  return context;
}

/* Adds the time since the last look in which a thread was ready to run, but did not, to
 * the next sample that the thread's timer takes. */
static void add_queued_time(thread *t, thread *waiting) {
  const uint64_t period = SECOND / rec_rate, before = waiting->last.queued;
  const uint64_t queued = queued_time(id_of(t));
  waiting->last.queued = queued;
  if (before == 0 || queued < before) return; /* first look, or another thread */
  const uint64_t left = waiting->last.rest + (queued - before);
  waiting->last.rest = left % period;
  __atomic_fetch_add(&t->queued, left / period, __ATOMIC_RELAXED);
}

static void look_at(thread *t, uint64_t ticks) {
  thread *waiting = t->waiting;
  const int clock = thread_clock(id_of(t));
  const uint64_t cpu = read_clock(clock);
  if (cpu != waiting->last.cpu) {
    waiting->last.cpu = cpu;
    add_queued_time(t, waiting);
    waiting->last.context = find_sample(t, clock, cpu, &waiting->last.at);
  }
  if (waiting->last.context)
    rec_add_sample(waiting, waiting->last.context, waiting->last.at, ticks);
}

void rec_start_looking(void) {
  char line[256], copy;
  if (rec_waiting_error) return;
  if (!read_line((int)SYSTEM_CALL(gettid, 0, 0, 0, 0), "/syscall", line))
    rec_waiting_error = ENOENT;
  else if (!copy_memory(&copy, (uintptr_t)line, 1))
    rec_waiting_error = EPERM; /* forbidden in some containers */
}

void rec_sample_waiting(thread *t, uintptr_t low, uintptr_t high) {
  thread *waiting = t->waiting ? NULL : rec_new_table(low, high);
  if (!waiting) return;
  waiting->of_waiting = true; /* only now: the roots are numbered like the thread's own */
  rec_add_table(waiting);
  __atomic_store_n(&t->waiting, waiting, __ATOMIC_RELEASE);
}

void rec_look_at_threads(uint64_t ticks) {
  if (rec_state != RECORDING) return;
  for (thread *t = __atomic_load_n(&rec_tables, __ATOMIC_ACQUIRE); t; t = t->next)
    if (__atomic_load_n(&t->waiting, __ATOMIC_ACQUIRE) &&
        __atomic_load_n(&t->cpu, __ATOMIC_ACQUIRE) & RUNNING)
      look_at(t, ticks);
}
