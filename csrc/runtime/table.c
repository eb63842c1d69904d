/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/table.h"

#include "runtime/linux.h"
#include "runtime/lua_program.h"
#include "runtime/modules.h"

#define PAGE ((size_t)4096)
#define TABLE_SIZE (5 * PAGE) /* a new table, with its first records */
#define BLOCK_SIZE (16 * PAGE)
#define FIRST_SLOTS 64
#define FIRST_BUCKETS ((size_t)128)
#define STACK_SIZE PAGE /* a further stack, with its first slots */

/* Deeper contexts are joined, because a new context is compared with all contexts above
 * it. */
#define MAX_DEPTH 4096

/* Call paths explode if, while a table of this many records was doubled, there were fewer
 * than this many calls for each new record. Looking up calls in such a table would take
 * most of the time. Then deep contexts are joined, so that the others have at most this
 * many records. */
#define LARGE_TABLE ((size_t)1 << 17)
#define FEW_CALLS 4
#define MANY_RECORDS 4096

/* Records are counted down to this depth: paths that explode have enough there. */
#define DEPTHS 64

/* After a failed allocation, this many allocations of the thread fail at once. Asking the
 * system each time would make the calls that are not counted slow. */
#define SKIPPED 4095

/* From here on, no program has code: context profiles have addresses of their own. */
#define NO_PROGRAM (UINT64_C(1) << 63)

/* Maximum number of slots that are searched for the function of a call site, or for
 * frames that have returned. */
#define MAX_SEARCHED 64

/* Maximum number of frame pointers that are followed through functions without slots. */
#define MAX_LINKS 32

_Thread_local thread *rec_own __attribute__((tls_model("initial-exec")));
thread *rec_tables;
int rec_state;
size_t rec_limit = (size_t)64 << 20;

static size_t memory;    /* total size of all tables in bytes */
static uint32_t numbers; /* number of the last table */

/* 0 if this thread's last allocation succeeded; otherwise one more than the number of
 * its allocations that have failed at once since then. */
static _Thread_local uint32_t failed __attribute__((tls_model("initial-exec")));

void rec_switch(bool on) {
  int from = on ? PAUSED : RECORDING;
  __atomic_compare_exchange_n(&rec_state, &from, on ? RECORDING : PAUSED, false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

size_t rec_memory(void) { return __atomic_load_n(&memory, __ATOMIC_RELAXED); }

bool rec_skips_allocation(void) {
  if (failed == 0 || failed > SKIPPED) return false;
  failed++;
  return true;
}

/* Allocates memory for tables. If `limited`, does not exceed the limit. */
static void *allocate(size_t size, bool limited) {
  if (limited && rec_memory() + size > rec_limit) return NULL;
  if (rec_skips_allocation()) return NULL;
  void *new_memory = map_memory(size);
  failed = !new_memory;
  if (new_memory) __atomic_fetch_add(&memory, size, __ATOMIC_RELAXED);
  return new_memory;
}

static void release(void *old, size_t size) {
  unmap_memory(old, size);
  __atomic_fetch_sub(&memory, size, __ATOMIC_RELAXED);
}

/* --- records ---------------------------------------------------------------- */

/* A multiplication mixes bits upwards, so the bucket's number begins with the highest
 * byte. */
static size_t bucket_of(const record *context, uintptr_t from, uintptr_t self,
                        size_t mask) {
  const uint64_t key = from * HASH_FROM + (uintptr_t)context + self;
  return (size_t)__builtin_bswap64(key * HASH_KEY) & mask;
}

static record *find(const thread *t, const record *context, uintptr_t from,
                    uintptr_t self) {
  record *r = t->buckets[bucket_of(context, from, self, t->mask)];
  while (r && !(r->context == context && r->from == from && r->self == self)) r = r->next;
  return r;
}

/* Joins the contexts of a stack in use. */
static void join_slots(thread *t, const window *used) {
  for (slot *s = used->slots + 1; s <= used->top; s++)
    if (s->context->depth > t->deepest) s->context = &t->roots[JOINED];
}

/* Makes sure that deep records, which keep their counts, are not found again: they would
 * take more memory than the processor's caches have. */
static void forget_deep_records(thread *t) {
  for (size_t i = 0; i <= t->mask; i++)
    for (record **at = &t->buckets[i]; *at;) {
      record *r = *at;
      if (r->depth > t->deepest)
        *at = r->next;
      else
        at = &r->next;
    }
  for (block *b = t->blocks; b; b = b->next)
    for (record *r = b->first; r < b->first + b->used; r++)
      if (r->follower->depth > t->deepest) r->follower = t->roots;
  for (size_t i = 0; i < CACHED_CALLS; i++) t->cached_calls[i] = t->roots;
  join_slots(t, &t->now);
  for (stack *s = t->stacks; s; s = s->next)
    if (s != t->stack) join_slots(t, &s->saved);
}

/* Joins deep contexts if call paths explode. */
static void limit_depth(thread *t) {
  uint32_t records[DEPTHS + 1] = {0};
  uint64_t calls = 0; /* and ticks, which are few */
  for (const block *b = t->blocks; b; b = b->next)
    for (const record *r = b->first; r < b->first + b->used; r++) {
      calls += r->count;
      if (r->depth < DEPTHS) records[r->depth]++;
    }
  if (calls - t->calls < FEW_CALLS * (uint64_t)(t->records / 2)) {
    uint16_t depth = 0; /* where the records become too many */
    uint32_t sum = 0;
    while (sum <= MANY_RECORDS && depth < DEPTHS) sum += records[++depth];
    __atomic_store_n(&t->deepest, depth > 3 ? depth - 2 : 1, __ATOMIC_RELAXED);
    forget_deep_records(t);
  }
  t->calls = calls;
}

/* Doubles the number of buckets. If there is no memory, the buckets get longer. */
static void grow_buckets(thread *t) {
  const size_t buckets = t->mask + 1, mask = 2 * buckets - 1;
  record **grown = allocate(2 * buckets * sizeof *grown, true);
  if (!grown) return;
  for (size_t i = 0; i < buckets; i++)
    for (record *r = t->buckets[i], *next; r; r = next) {
      next = r->next;
      record **bucket = &grown[bucket_of(r->context, r->from, r->self, mask)];
      r->next = *bucket;
      *bucket = r;
    }
  if (buckets != FIRST_BUCKETS) release(t->buckets, buckets * sizeof *grown);
  t->buckets = grown;
  t->mask = mask;
  if (buckets >= LARGE_TABLE) limit_depth(t);
}

/* Divides the memory of a block, of `size` bytes, among records and their marks. */
static void divide_block(block *b, size_t size) {
  b->capacity = (size - sizeof *b) / (sizeof *b->first + sizeof *b->marks);
  b->marks = (mark *)(void *)(b->first + b->capacity);
}

/* Makes room for a record. The memory limit does not apply to the joined context, which
 * has at most one record for each call site and callee. */
static bool make_room(thread *t, const record *context) {
  const bool limited = context != &t->roots[JOINED];
  if (limited && t->full) return false;
  if (t->newest->used < t->newest->capacity) return true;
  block *b = allocate(BLOCK_SIZE, limited);
  if (!b) {
    __atomic_store_n(&t->full, true, __ATOMIC_RELAXED);
    return false;
  }
  divide_block(b, BLOCK_SIZE);
  __atomic_store_n(&t->newest->next, b, __ATOMIC_RELEASE);
  t->newest = b;
  return true;
}

/* Makes a record. The caller adds it to the table with insert(). */
static record *new_record(thread *t, record *context, uintptr_t from, uintptr_t self) {
  if (!make_room(t, context)) return NULL;
  block *b = t->newest;
  record *r = &b->first[b->used];
  r->context = context;
  r->from = from;
  r->self = self;
  r->entered = NULL;
  r->depth = (uint16_t)(context->depth + 1);
  r->inside = false;
  r->of_waiting = t->of_waiting;
  r->after_call = false;
  r->follower = r;
  r->number = t->records;
  return r;
}

/* Puts a complete record into the table. It is published before it can be found, so that
 * no record in a bucket is overwritten if this is left by longjmp. */
static void insert(thread *t, record *r) {
  record **bucket = &t->buckets[bucket_of(r->context, r->from, r->self, t->mask)];
  __atomic_store_n(&t->newest->used, t->newest->used + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&t->records, t->records + 1, __ATOMIC_RELEASE);
  BARRIER();
  r->next = *bucket;
  BARRIER();
  *bucket = r;
  if (t->records <= t->mask) return;
  begin_change(t);
  grow_buckets(t);
  end_change(t);
}

/* Adds a record that is not a call: a sample, or a note that the call site `from` is not
 * in the function of `context`. */
static record *add(thread *t, record *context, uintptr_t from, uintptr_t self) {
  record *r = new_record(t, context, from, self);
  if (r) insert(t, r);
  return r;
}

/* Returns the context that a call enters: the joined context if the call is too deep; for
 * a recursive call, the context that its function already has on the path; otherwise a
 * new context. */
static record *entered_by(thread *t, record *call) {
  if (call->depth > MAX_DEPTH || call->depth > t->deepest) return &t->roots[JOINED];
  for (record *above = call->context; above; above = above->context)
    if (above->self == call->self) return above;
  return call;
}

/* Whether there may be code at an address that can be read. The outermost function of a
 * coroutine may have any word in place of a return address. */
static bool is_code(uintptr_t address, size_t size) {
  const module *m = rec_module_at(address);
  const bool is_known =
      m && !is_closed(m) && address >= m->code && address + size <= m->code_end;
  return is_known || is_readable(address);
}

bool rec_is_signal_return(uintptr_t address) {
#ifdef __x86_64__
  static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#else
  static const unsigned char code[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};
#endif
  if (gprof_lua_has(address) || !is_code(address, sizeof code)) return false;
  const unsigned char *bytes = (const unsigned char *)address;
  for (size_t i = 0; i < sizeof code; i++)
    if (bytes[i] != code[i]) return false;
  return true;
}

/* Whether the call site `from` is in the function of a context. A root has no function,
 * and makes all calls that no other context makes. */
static bool is_inside(const record *context, uintptr_t from) {
  return context->self == 0 ||
         rec_function_at(from - 1) == rec_function_at(context->self - 1);
}

/* Adds a call. A signal handler's context is below the root, not below the interrupted
 * context. The call's record in the interrupted context has a count but no children. */
static record *add_call(thread *t, record *context, uintptr_t from, uintptr_t self) {
  record *root = &t->roots[ROOT], *handler = NULL;
  const bool is_handler = rec_is_signal_return(from);
  if (is_handler && context->self != 0) {
    handler = find(t, root, from, self);
    if (!handler) handler = add_call(t, root, from, self);
    if (!handler) return NULL;
  }
  record *call = new_record(t, context, from, self);
  if (!call) return NULL;
  if (handler)
    call->entered = handler;
  else if (context == &t->roots[JOINED])
    call->entered = context;
  else
    call->entered = entered_by(t, call);
  call->inside = is_inside(context, from);
  call->after_call = from != 0 && !is_handler && !gprof_lua_has(from);
  insert(t, call);
  return call;
}

void rec_add_sample(thread *t, record *context, uintptr_t at, uint64_t ticks) {
  record *sample = find(t, context, at, 0);
  if (!sample) sample = add(t, context, at, 0);
  if (!sample && context != &t->roots[JOINED]) {
    rec_add_sample(t, &t->roots[JOINED], at, ticks);
    return;
  }
  if (sample) add_to(&sample->count, ticks);
}

/* --- tables ----------------------------------------------------------------- */

/* The number of addresses at which a frame can begin. A frame has at least two words. */
static size_t size_of(uintptr_t low, uintptr_t high) {
  return high - low - 2 * sizeof high + 1;
}

/* Makes a window whose slots are in `space`. The caller of the outermost frame is in the
 * context `root`. */
static window window_of(uintptr_t low, uintptr_t high, slot *space, size_t count,
                        record *root) {
  *space = (slot){UINTPTR_MAX, 0, root, root};
  return (window){low, size_of(low, high), space, space, space + count};
}

void rec_cache_slot(thread *t, slot *s) {
  if (s != t->now.slots) t->cached_slots[s->frame / 16 % CACHED_SLOTS] = s;
}

record *rec_cached_call(const thread *t, uintptr_t from, uintptr_t frame) {
  return t->cached_calls[(from + frame) % CACHED_CALLS];
}

void rec_cache_call(thread *t, record *call, uintptr_t frame) {
  if (call->inside) t->cached_calls[(call->from + frame) % CACHED_CALLS] = call;
}

/* Fills the cache with the slots of the stack in use. A free place has a slot whose frame
 * belongs to another place. */
static void cache_slots(thread *t) {
  static slot none;
  t->cached_slots[0] = t->now.slots;
  for (size_t i = 1; i < CACHED_SLOTS; i++) t->cached_slots[i] = &none;
  slot *s = t->now.slots;
  if (t->now.top - s > CACHED_SLOTS) s = t->now.top - CACHED_SLOTS;
  while (s < t->now.top) rec_cache_slot(t, ++s);
}

void rec_push(thread *t, slot *at, uintptr_t frame, uintptr_t returns, record *call) {
  at++;
  if (at->call && call->inside) at->call->follower = call;
  *at = (slot){frame, returns, call->entered, call};
  t->now.top = at;
  rec_cache_slot(t, at);
}

static void *take(char **at, size_t size) {
  void *taken = *at;
  *at += size;
  return taken;
}

thread *rec_new_table(uintptr_t low, uintptr_t high) {
  char *at = allocate(TABLE_SIZE, false);
  if (!at) return NULL;
  const char *const end = at + TABLE_SIZE;
  thread *t = take(&at, sizeof *t);
  slot *space = take(&at, FIRST_SLOTS * sizeof *space);
  t->buckets = take(&at, FIRST_BUCKETS * sizeof *t->buckets);
  t->mask = FIRST_BUCKETS - 1;
  at += -(uintptr_t)at % RECORD_BYTES;
  t->blocks = t->newest = (block *)(void *)at;
  divide_block(t->blocks, (size_t)(end - at));
  t->blocks->used = t->records = ROOTS;
  t->roots = t->blocks->first;
  for (int i = 0; i < ROOTS; i++) {
    t->roots[i].entered = t->roots[i].follower = &t->roots[i];
    t->roots[i].number = (uint32_t)i;
  }
  t->deepest = UINT16_MAX;
  t->now = window_of(low, high, space, FIRST_SLOTS, &t->roots[ROOT]);
  for (size_t i = 0; i < CACHED_CALLS; i++) t->cached_calls[i] = t->roots;
  cache_slots(t);
  t->stack = t->stacks = &t->own_stack;
  t->index = &t->only_chain;
  t->stack->low = low;
  t->stack->high = high;
  t->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
  return t;
}

void rec_add_table(thread *t) {
  t->next = __atomic_load_n(&rec_tables, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&rec_tables, &t->next, t, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {}
}

void rec_take_back(thread *t) {
  uint32_t records = 0;
  for (const block *b = t->blocks; b; b = b->next) records += (uint32_t)b->used;
  __atomic_store_n(&t->records, records, __ATOMIC_RELEASE);
  rec_release(t);
}

static void reuse_table(thread *t, uintptr_t low, uintptr_t high) {
  rec_take_back(t); /* the thread may have been cancelled in the recorder */
  rec_use_stack(t, &t->own_stack, low, high);
  t->unknown = false;
  t->own_stack.low = low;
  t->own_stack.high = high;
  t->now = window_of(low, high, t->now.slots, (size_t)(t->now.end - t->now.slots),
                     &t->roots[ROOT]);
  cache_slots(t);
}

void rec_reuse_table(thread *t, uintptr_t low, uintptr_t high) {
  for (; t; t = t->second) reuse_table(t, low, high);
}

void rec_forget_tables(void) {
  rec_tables = NULL;
  memory = 0;
  numbers = 0;
}

/* --- stacks ----------------------------------------------------------------- */

static stack **chain_of(const thread *t, uintptr_t low) {
  return &t->index[bucket_of(NULL, 0, low, t->index_mask)];
}

static void add_to_index(thread *t, stack *s) {
  stack **const chain = chain_of(t, s->low);
  s->chained = *chain;
  *chain = s;
}

/* Makes more chains. If there is no memory, they get longer. */
static void grow_index(thread *t) {
  const size_t chains = t->index_mask + 1, more = 16 * chains;
  stack **const old = t->index, **const grown = allocate(more * sizeof *old, true);
  if (!grown) return;
  t->index = grown;
  t->index_mask = more - 1;
  for (stack *s = t->stacks; s != &t->own_stack; s = s->next) add_to_index(t, s);
  if (old != &t->only_chain) release(old, chains * sizeof *old);
}

/* Removes the newest stack that is not in use from the index, and returns it; NULL if
 * there is none. */
static stack *forget_stack(thread *t) {
  stack *s = t->stacks;
  if (s == t->stack) s = s->next;
  if (!s || s == &t->own_stack) return NULL;
  stack **at = chain_of(t, s->low);
  while (*at != s) at = &(*at)->chained;
  *at = s->chained;
  return s;
}

static stack *new_stack(thread *t, bool limited) {
  stack *s = allocate(STACK_SIZE, limited);
  if (!s) return NULL;
  s->saved.slots = (slot *)(void *)(s + 1);
  s->saved.end = s->saved.slots + (STACK_SIZE - sizeof *s) / sizeof *s->saved.slots;
  s->next = t->stacks;
  t->stacks = s;
  t->indexed++;
  return s;
}

static stack *add_stack(thread *t, uintptr_t low, uintptr_t high, unsigned root) {
  if (t->indexed > t->index_mask) grow_index(t);
  stack *s = new_stack(t, true);
  if (!s) s = forget_stack(t);
  if (!s) s = new_stack(t, false);
  if (!s) return NULL;
  slot *const space = s->saved.slots;
  s->saved =
      window_of(low, high, space, (size_t)(s->saved.end - space), &t->roots[root]);
  s->low = low;
  s->high = high;
  add_to_index(t, s);
  return s;
}

stack *rec_stack(thread *t, uintptr_t low, uintptr_t high, unsigned root) {
  stack *s = *chain_of(t, low);
  while (s && (s->low != low || s->high != high)) s = s->chained;
  if (s) return s;
  begin_change(t);
  s = add_stack(t, low, high, root);
  end_change(t);
  return s;
}

void rec_use_stack(thread *t, stack *s, uintptr_t low, uintptr_t high) {
  begin_change(t);
  if (t->stack != s) {
    t->stack->saved = t->now;
    t->now = s->saved;
    t->unknown = t->now.slots->context == &t->roots[UNKNOWN_STACK];
    t->stack = s;
    cache_slots(t);
  }
  t->now.low = low;
  t->now.size = size_of(low, high);
  end_change(t);
}

bool rec_grow_slots(thread *t) {
  window *now = &t->now;
  const size_t used = (size_t)(now->top - now->slots) + 1;
  const size_t size = (size_t)(now->end - now->slots) * sizeof *now->slots;
  slot *grown = allocate(2 * size, false);
  if (!grown) return false;
  begin_change(t);
  for (size_t i = 0; i < used; i++) grown[i] = now->slots[i];
  /* The first slots follow their stack or table in memory. */
  if ((uintptr_t)now->slots % PAGE == 0) release(now->slots, size);
  *now = (window){now->low, now->size, grown, grown + used - 1,
                  grown + 2 * size / sizeof *grown};
  cache_slots(t);
  end_change(t);
  return true;
}

/* --- the shadow stack ------------------------------------------------------- */

/* Whether an address is in the same page as the recorder's stack: then it is mapped. */
static bool is_near(uintptr_t address) {
  return (address ^ (uintptr_t)__builtin_frame_address(0)) < PAGE;
}

/* Returns a word above the running function's frame; 0 if it is not mapped. */
static uintptr_t word_at(const thread *t, uintptr_t address) {
  const bool is_mapped = !t->unknown || is_near(address) || is_readable(address);
  return is_mapped ? *(const uintptr_t *)address : 0;
}

/* Whether the frame of a slot still exists: its return address has not been overwritten.
 * True for slots without a return address. */
static bool exists(const thread *t, const slot *s) {
  return s->returns == 0 || word_at(t, s->frame + sizeof s->frame) == s->returns;
}

static slot *innermost(const thread *t, slot *from) {
  while (!exists(t, from)) from--;
  return from;
}

slot *rec_innermost(const thread *t, slot *from) {
  slot *found = from;
  for (int i = 0; i < MAX_SEARCHED && from > t->now.slots; i++, from--)
    if (!exists(t, from)) found = from - 1;
  return innermost(t, found);
}

/* Finds the slot of a frame by binary search; NULL if there is none. */
static slot *slot_of(const thread *t, slot *top, uintptr_t frame) {
  slot *low = t->now.slots, *high = top; /* frames descend */
  while (low < high) {
    slot *middle = low + (high - low) / 2;
    if (middle->frame > frame)
      low = middle + 1;
    else
      high = middle;
  }
  return low->frame == frame && exists(t, low) ? low : NULL;
}

/* Returns the innermost slot above `found` whose function has not announced its end;
 * `found` if there is none. */
static slot *not_ended(slot *top, slot *found) {
  while (top > found && top->returns != 0) top--;
  return top;
}

slot *rec_find_slot(const thread *t, uintptr_t frame, uintptr_t pointer, bool *by_order) {
  const uintptr_t high = t->now.low + t->now.size;
  slot *top = t->now.top;
  while (top->frame <= frame) top--;
  *by_order = false;
  for (int links = 0; links < MAX_LINKS; links++) {
    if (pointer <= frame || pointer >= high || pointer % sizeof pointer != 0) break;
    slot *found = slot_of(t, top, pointer);
    if (found) return t->instrumented ? not_ended(top, found) : found;
    const uintptr_t next = word_at(t, pointer);
    if (next <= pointer) break;
    pointer = next;
  }
  *by_order = true;
  return innermost(t, top);
}

static uintptr_t function_of(const slot *s) {
  const record *context = s->context;
  return context->self != 0 ? rec_function_at(context->self - 1) : 0;
}

/* Returns the innermost slot of a function; NULL if there is none. */
static slot *slot_of_function(const thread *t, uintptr_t function) {
  slot *s = innermost(t, t->now.top);
  for (int i = 0; i < MAX_SEARCHED && s > t->now.slots; i++) {
    if (function == function_of(s)) return s;
    s = innermost(t, s - 1);
  }
  return NULL;
}

slot *rec_slot_of_code(const thread *t, uintptr_t address) {
  const uintptr_t function = rec_function_at(address);
  return function != 0 ? slot_of_function(t, function) : NULL;
}

/* Whether the function of slot `at` cannot have made the call, because the call site is
 * in the function of another slot. Then the function of `at` has returned, or it called
 * the other function. */
static bool is_other(const thread *t, const slot *at, uintptr_t from) {
  const uintptr_t function = rec_function_at(from - 1);
  return function != 0 && function != function_of(at) && slot_of_function(t, function);
}

record *rec_call_in(thread *t, record *context, uintptr_t from, uintptr_t self) {
  record *const joined = &t->roots[JOINED];
  record *call = find(t, context, from, self);
  if (!call) call = add_call(t, context, from, self);
  return call || context == joined ? call : rec_call_in(t, joined, from, self);
}

record *rec_find_call(thread *t, slot **at, uintptr_t from, uintptr_t self,
                      bool by_order) {
  if (from >= NO_PROGRAM) from = 0;
  for (;;) {
    record *const joined = &t->roots[JOINED], *const own = (*at)->context;
    record *const context = own->depth > t->deepest ? joined : own;
    record *call = find(t, context, from, self);
    if (by_order && (!call || (call->entered && !call->inside))) {
      slot *const checked = rec_innermost(t, *at);
      const bool returned = checked != *at;
      *at = checked;
      if (returned) continue;
    }
    if (!call && context->self != 0 && is_other(t, *at, from))
      call = add(t, context, from, self); /* a note, not a call */
    if (!call) call = rec_call_in(t, context, from, self);
    if (!call || call->entered) return call;
    *at = innermost(t, by_order ? *at - 1 : t->now.top);
    by_order = true;
  }
}

void rec_copy_frames(thread *to, const thread *from) {
  record *const root = &to->roots[from->now.slots->context - from->roots];
  *to->now.slots = (slot){UINTPTR_MAX, 0, root, root};
  to->unknown = from->unknown;
  to->instrumented = from->instrumented;
  for (const slot *s = from->now.slots + 1; s <= from->now.top; s++) {
    const record *called = s->context;
    slot *at = to->now.top;
    if (to->now.top + 1 == to->now.end && !rec_grow_slots(to)) return;
    record *call = NULL; /* in the joined context, it is not known which one it was */
    if (called->self != 0)
      call = rec_find_call(to, &at, called->from, called->self, false);
    if (!call) call = &to->roots[JOINED];
    rec_push(to, to->now.top, s->frame, s->returns, call);
  }
}
