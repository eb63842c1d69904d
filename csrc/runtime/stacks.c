/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/stacks.h"

#include <signal.h>

#include "runtime/linux.h"
#include "runtime/memory_map.h"

#define PAGE ((uintptr_t)4096)

/* Maximum size assumed for the main stack. No mapping is closer than this to the stack's
 * upper end. */
#define LARGEST ((uintptr_t)64 << 20)

/* The main stack is looked up again after it has grown by this many bytes. */
#define GROWTH ((uintptr_t)1 << 20)

/* The maximum number of registered stacks. A further one replaces the oldest. */
#define MAX_REGISTERED 1024

typedef struct range {
  uintptr_t low, high;
} range;

static range main_stack;

/* What stacks of threads other than the main thread have at least, below the thread
 * pointer. A thread that needs more looks up its stack. */
static uintptr_t usual;

/* Registered stacks. While a range is replaced, `low` is UINTPTR_MAX. */
static struct {
  range range[MAX_REGISTERED];
  uint32_t used;
} registered;

/* Where the stack pointer is when the program starts; the program's arguments follow. */
extern void *__libc_stack_end;

/* Bytes of the arguments that belong to the main stack, so that the first instructions of
 * the program, which take some of them, have a known stack. */
#define FIRST_ARGUMENTS ((uintptr_t)64)

static bool contains(range r, uintptr_t address) {
  return address - r.low < r.high - r.low;
}

void rec_start_stacks(void) {
  struct {
    uint64_t soft, hard;
  } limit = {0, 0};
  SYSTEM_CALL(prlimit64, 0, 3 /* RLIMIT_STACK */, 0, &limit);
  const uintptr_t size = limit.soft < LARGEST ? (uintptr_t)limit.soft : LARGEST;
  main_stack.high = (uintptr_t)__libc_stack_end + FIRST_ARGUMENTS;
  main_stack.low = main_stack.high - size;
  usual = limit.soft < LARGEST ? size : (uintptr_t)2 << 20;
}

/* The stack's upper end has the thread's data. */
void rec_note_stack_size(size_t size) {
  const uintptr_t least = size - size / 4;
  uintptr_t now = __atomic_load_n(&usual, __ATOMIC_RELAXED);
  while (least < now &&
         !__atomic_compare_exchange_n(&usual, &now, least, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {}
}

/* The mapping that contains an address; an empty range if unknown. */
static range mapping_of(uintptr_t address) {
  map_reader r;
  mapping m;
  range found = {0, 0};
  rec_open_map(&r);
  while (found.high == 0 && rec_next_mapping(&r, &m, NULL, 0))
    if (contains((range){m.low, m.high}, address)) found = (range){m.low, m.high};
  rec_close_map(&r);
  return found;
}

/* --- stacks ----------------------------------------------------------------- */

void rec_own_stack(uintptr_t address, uintptr_t *low, uintptr_t *high) {
  const uintptr_t least = __atomic_load_n(&usual, __ATOMIC_RELAXED);
  range own = {thread_pointer() - least, thread_pointer()};
  if (contains(main_stack, address)) own = main_stack;
  if (!contains(own, address)) own = mapping_of(address);
  if (own.high == 0) own = (range){address - least, (address | (PAGE - 1)) + 1};
  *low = own.low;
  *high = own.high;
}

/* The alternate stack for this thread's signal handlers. */
static range alternate_stack(void) {
  stack_t current = {.ss_flags = SS_DISABLE};
  SYSTEM_CALL(sigaltstack, 0, &current, 0, 0);
  const uintptr_t low = (uintptr_t)current.ss_sp;
  return current.ss_flags & SS_DISABLE ? (range){0, 0}
                                       : (range){low, low + current.ss_size};
}

void rec_alternate_stack(uintptr_t *low, uintptr_t *high) {
  const range current = alternate_stack();
  *low = current.low;
  *high = current.high;
}

/* Size in bytes of the alternate stack that the recorder gives to a thread. Handlers of
 * the program may also run on this stack. */
#define ALTERNATE ((size_t)65536)

/* An alternate stack of the program that is smaller than this is replaced: samples are
 * taken on it, too, also while a handler of the program runs there. */
#define SUFFICIENT ((size_t)16384)

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static _Thread_local char *own_alternate __attribute__((tls_model("initial-exec")));

/* What the program would have without the recorder's stack. */
static _Thread_local stack_t hidden __attribute__((tls_model("initial-exec")));

/* With SS_AUTODISARM, samples are not taken on the stack while a handler runs there. */
static bool is_sufficient(const stack_t *alternate) {
  const unsigned flags = (unsigned)alternate->ss_flags;
  return !(flags & SS_DISABLE) &&
         (flags & SS_AUTODISARM || alternate->ss_size >= SUFFICIENT);
}

void rec_replace_alternate_stack(const stack_t *wanted) {
  if (!own_alternate || is_sufficient(wanted)) return;
  const stack_t own = {.ss_sp = own_alternate, .ss_size = ALTERNATE};
  hidden = *wanted;
  hidden.ss_flags &= SS_DISABLE;
  SYSTEM_CALL(sigaltstack, &own, 0, 0, 0);
}

void rec_make_alternate_stack(void) {
  stack_t current = {.ss_flags = SS_DISABLE};
  SYSTEM_CALL(sigaltstack, 0, &current, 0, 0);
  if (own_alternate || is_sufficient(&current)) return;
  own_alternate = map_memory(ALTERNATE);
  rec_replace_alternate_stack(&current);
}

static bool is_own(const stack_t *alternate) {
  return own_alternate && alternate->ss_sp == own_alternate;
}

void rec_hide_alternate_stack(stack_t *seen) {
  if (!is_own(seen)) return;
  const int in_use = seen->ss_flags & SS_ONSTACK;
  *seen = hidden;
  if (!(hidden.ss_flags & SS_DISABLE)) seen->ss_flags |= in_use;
}

void rec_end_alternate_stack(void) {
  stack_t current = {.ss_flags = SS_DISABLE};
  if (!own_alternate) return;
  SYSTEM_CALL(sigaltstack, 0, &current, 0, 0);
  if (is_own(&current)) SYSTEM_CALL(sigaltstack, &hidden, 0, 0, 0);
  unmap_memory(own_alternate, ALTERNATE);
  own_alternate = NULL;
}

/* Whether code with a stack pointer has been left: frames further up are running on the
 * same stack. Handlers on an alternate stack, which may be anywhere, say nothing. */
static bool is_left(const thread *t, uintptr_t holder, uintptr_t pointer) {
  const range own = {t->own_stack.low, t->own_stack.high};
  return pointer > holder && contains(own, holder) && contains(own, pointer) &&
         !contains(alternate_stack(), pointer);
}

bool rec_is_held(thread *t, uintptr_t pointer) {
  if (t->holder != 0 && !t->changing && is_left(t, t->holder, pointer)) rec_take_back(t);
  return t->holder != 0;
}

static uint32_t count_registered(void) {
  const uint32_t used = __atomic_load_n(&registered.used, __ATOMIC_ACQUIRE);
  return used < MAX_REGISTERED ? used : MAX_REGISTERED;
}

/* Reads a range, which another thread may be replacing; an empty range if it is. */
static range read_range(const range *r) {
  const uintptr_t low = __atomic_load_n(&r->low, __ATOMIC_ACQUIRE);
  const uintptr_t high = __atomic_load_n(&r->high, __ATOMIC_ACQUIRE);
  const uintptr_t again = __atomic_load_n(&r->low, __ATOMIC_RELAXED);
  return low == again && low != UINTPTR_MAX ? (range){low, high} : (range){0, 0};
}

static void replace_range(range *r, uintptr_t low, uintptr_t high) {
  __atomic_store_n(&r->low, UINTPTR_MAX, __ATOMIC_RELAXED);
  __atomic_store_n(&r->high, high, __ATOMIC_RELEASE);
  __atomic_store_n(&r->low, low, __ATOMIC_RELEASE);
}

static range registered_stack(uintptr_t address) {
  for (uint32_t i = count_registered(); i-- > 0;) {
    const range r = read_range(&registered.range[i]);
    if (contains(r, address)) return r;
  }
  return (range){0, 0};
}

void rec_register_stack(uintptr_t low, uintptr_t high) {
  for (uint32_t i = 0; i < count_registered(); i++) {
    const range r = read_range(&registered.range[i]);
    if (r.low == low && r.high == high) return;
    /* The program has released the other stack. */
    if (r.low < high && low < r.high) replace_range(&registered.range[i], 0, 0);
  }
  const uint32_t i = __atomic_fetch_add(&registered.used, 1, __ATOMIC_ACQ_REL);
  replace_range(&registered.range[i % MAX_REGISTERED], low, high);
}

static bool use(thread *t, range r, unsigned root) {
  stack *const s = rec_stack(t, r.low, r.high, root);
  if (s) rec_use_stack(t, s, r.low, r.high);
  return s;
}

/* Uses the thread's own stack. If the alternate stack is a local array on that stack,
 * uses only the part above the array or the part below it, whichever contains `frame`. */
static void use_own(thread *t, range own, range alternate, uintptr_t frame) {
  if (contains(own, alternate.low) && alternate.low > frame)
    own.high = alternate.low;
  else if (contains(own, alternate.low) && alternate.high < own.high)
    own.low = alternate.high;
  rec_use_stack(t, &t->own_stack, own.low, own.high);
}

bool rec_switch_stack(thread *t, uintptr_t frame) {
  const range alternate = alternate_stack(), known = registered_stack(frame);
  range own = {t->own_stack.low, t->own_stack.high};
  if (contains(alternate, frame)) return use(t, alternate, ROOT);
  if (contains(known, frame)) return use(t, known, ROOT);
  if (!contains(own, frame)) {
    const range found = mapping_of(frame);
    /* The thread's own stack is larger than usual, or the main stack has grown. */
    if (!contains(found, own.high - 1)) return found.high && use(t, found, UNKNOWN_STACK);
    t->own_stack.low = own.low = found.low - (own.high == main_stack.high ? GROWTH : 0);
  }
  use_own(t, own, alternate, frame);
  return true;
}
