/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/unwind.h"

#include <stddef.h>

#include "runtime/modules.h"

/* DWARF's numbers of registers. */
#ifdef __x86_64__
enum { FRAME = 6, STACK = 7, RETURN = 16 };
#else
enum { FRAME = 29, STACK = 31, RETURN = 30 };
#endif

/* Bytes below the stack pointer that a function may use. */
#ifdef __x86_64__
#define RED_ZONE ((uintptr_t)128)
#else
#define RED_ZONE ((uintptr_t)0)
#endif

/* Addresses of programs; the other bits of a signed return address are its signature. */
#define ADDRESS_BITS ((UINT64_C(1) << 48) - 1)

#define MAX_REMEMBERED 4

typedef struct bytes {
  const unsigned char *at, *end;
  bool failed;
} bytes;

/* Where the caller's value of a register is. */
typedef struct rule {
  enum { SAME, SAVED, UNDEFINED, ELSEWHERE } kind;
  int64_t offset; /* of SAVED: from the frame's address */
} rule;

/* The rules at an instruction. The frame's address is that of the caller's stack at the
 * call. */
typedef struct rules {
  uint64_t base; /* register from which the frame's address is computed */
  int64_t offset;
  bool computed; /* by an expression instead */
  bool is_signed; /* the return address */
  rule frame, returns;
} rules;

/* A function's unwind information. */
typedef struct information {
  bytes first, own; /* instructions of its kind, and its own */
  uint64_t code_unit;
  int64_t data_unit;
  bool is_signal; /* a signal handler returns to this code */
} information;

/* --- bytes ------------------------------------------------------------------ */

static const unsigned char *take(bytes *b, uint64_t count) {
  const unsigned char *taken = b->at;
  if (b->failed || (uint64_t)(b->end - b->at) < count) {
    b->failed = true;
    return NULL;
  }
  b->at += count;
  return taken;
}

static uint64_t take_number(bytes *b, size_t size) {
  uint64_t number = 0;
  const unsigned char *at = take(b, size);
  for (size_t i = size; at && i-- > 0;) number = number << 8 | at[i]; /* little-endian */
  return number;
}

/* A number in the format LEB128. */
static uint64_t take_leb(bytes *b, bool is_signed) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint64_t byte = take_number(b, 1);
    number |= (byte & 0x7f) << shift;
    if (byte & 0x80) continue;
    if (is_signed && (byte & 0x40) && shift < 57) number |= ~UINT64_C(0) << (shift + 7);
    return number;
  }
  b->failed = true;
  return 0;
}

static uint64_t take_unsigned(bytes *b) { return take_leb(b, false); }

static int64_t take_signed(bytes *b) { return (int64_t)take_leb(b, true); }

/* --- unwind information ----------------------------------------------------- */

/* Returns the contents of an entry of the table; those of the format with 64-bit lengths
 * are not in use. */
static bytes entry_at(const unsigned char *at, const unsigned char *end) {
  bytes all = {at, end, at > end};
  const uint64_t length = take_number(&all, 4);
  const unsigned char *const content =
      take(&all, length < 0xfffffff0 ? length : UINT64_MAX);
  return content ? (bytes){content, content + length, false} : all;
}

/* Reads the entry that functions have in common. */
static bool read_kind(bytes kind, information *i) {
  const uint64_t id = take_number(&kind, 4), version = take_number(&kind, 1);
  if (id != 0 || (version != 1 && version != 3) || take_number(&kind, 1) != 'z')
    return false;
  i->is_signal = false;
  for (uint64_t feature; (feature = take_number(&kind, 1)) != 0;)
    if (feature == 'S') i->is_signal = true;
  i->code_unit = take_unsigned(&kind);
  i->data_unit = take_signed(&kind);
  const uint64_t returns = version == 1 ? take_number(&kind, 1) : take_unsigned(&kind);
  (void)take(&kind, take_unsigned(&kind));
  i->first = kind;
  return !kind.failed && returns == RETURN;
}

/* Reads the entry of the function that contains `address`. Its start and size are read
 * in the only form that compilers write, which the known start confirms. */
static bool read_information(unwind_table table, uintptr_t address, uintptr_t *start,
                             information *i) {
  const unsigned char *end, *const at = rec_unwind_entry(table, address, start, &end);
  if (!at) return false;
  bytes own = entry_at(at, end);
  const unsigned char *const back = own.at;
  const uint64_t distance = take_number(&own, 4);
  const uintptr_t here = (uintptr_t)own.at;
  const int32_t offset = (int32_t)take_number(&own, 4);
  const uint64_t size = take_number(&own, 4);
  if (own.failed || here + (uintptr_t)(intptr_t)offset != *start ||
      address - *start >= size || distance > (uintptr_t)back)
    return false;
  if (!read_kind(entry_at(back - distance, end), i)) return false;
  (void)take(&own, take_unsigned(&own));
  i->own = own;
  return !own.failed;
}

/* --- rules ------------------------------------------------------------------ */

static void set_rule(rules *r, uint64_t number, rule new_rule) {
  if (number == FRAME) r->frame = new_rule;
  if (number == RETURN) r->returns = new_rule;
}

static void restore_rule(rules *r, const rules *first, uint64_t number) {
  set_rule(r, number, number == FRAME ? first->frame : first->returns);
}

static void set_base(rules *r, uint64_t base, int64_t offset) {
  r->base = base;
  r->offset = offset;
  r->computed = false;
}

/* Executes instructions up to those for code after `distance`, in bytes from the start of
 * the function. `first` has the rules at its start. False if they are not understood. */
static bool execute(bytes b, const information *i, uint64_t distance, const rules *first,
                    rules *r) {
  rules remembered[MAX_REMEMBERED];
  unsigned depth = 0;
  uint64_t at = 0, number;
  while (b.at < b.end && !b.failed) {
    const unsigned code = (unsigned)take_number(&b, 1), low = code & 0x3f;
    uint64_t advance = 0;
    switch (code & 0xc0 ? code & 0xc0 : code) {
    case 0x00: break;                             /* no operation */
    case 0x40: advance = low; break;              /* further instructions are for code */
    case 0x02: advance = take_number(&b, 1); break;
    case 0x03: advance = take_number(&b, 2); break;
    case 0x04: advance = take_number(&b, 4); break;
    case 0x80:                                    /* a register is saved */
      set_rule(r, low, (rule){SAVED, (int64_t)take_unsigned(&b) * i->data_unit});
      break;
    case 0x05:
      number = take_unsigned(&b);
      set_rule(r, number, (rule){SAVED, (int64_t)take_unsigned(&b) * i->data_unit});
      break;
    case 0x11:
      number = take_unsigned(&b);
      set_rule(r, number, (rule){SAVED, take_signed(&b) * i->data_unit});
      break;
    case 0xc0: restore_rule(r, first, low); break;
    case 0x06: restore_rule(r, first, take_unsigned(&b)); break;
    case 0x07: set_rule(r, take_unsigned(&b), (rule){UNDEFINED, 0}); break;
    case 0x08: set_rule(r, take_unsigned(&b), (rule){SAME, 0}); break;
    case 0x09: case 0x14: case 0x15:              /* elsewhere; both numbers */
      set_rule(r, take_unsigned(&b), (rule){ELSEWHERE, 0});
      (void)take_unsigned(&b);
      break;
    case 0x10: case 0x16:
      set_rule(r, take_unsigned(&b), (rule){ELSEWHERE, 0});
      (void)take(&b, take_unsigned(&b));
      break;
    case 0x0a:
      if (depth == MAX_REMEMBERED) return false;
      remembered[depth++] = *r;
      break;
    case 0x0b:
      if (depth == 0) return false;
      *r = remembered[--depth];
      break;
    case 0x0c:
      number = take_unsigned(&b);
      set_base(r, number, (int64_t)take_unsigned(&b));
      break;
    case 0x12:
      number = take_unsigned(&b);
      set_base(r, number, take_signed(&b) * i->data_unit);
      break;
    case 0x0d: r->base = take_unsigned(&b); break;
    case 0x0e: r->offset = (int64_t)take_unsigned(&b); break;
    case 0x13: r->offset = take_signed(&b) * i->data_unit; break;
    case 0x0f:
      r->computed = true;
      (void)take(&b, take_unsigned(&b));
      break;
    case 0x2d: r->is_signed = !r->is_signed; break;
    case 0x2e: (void)take_unsigned(&b); break;    /* size of the arguments */
    default: return false;
    }
    at += advance * i->code_unit;
    if (at > distance) break;
  }
  return !b.failed;
}

/* --- callers ---------------------------------------------------------------- */

/* Describes the step that rules make; false if it cannot be made. */
static bool set_step(unwind_step *step, const rules *r) {
  step->offset = (int32_t)r->offset;
  step->frame = (int32_t)r->frame.offset;
  step->returns = (int32_t)r->returns.offset;
  step->from_stack = r->base == STACK;
  step->is_signed = r->is_signed;
  step->saves_frame = r->frame.kind == SAVED;
  step->saves_return = r->returns.kind == SAVED;
  return !r->computed && (r->base == STACK || r->base == FRAME) &&
         r->frame.kind <= SAVED && r->returns.kind <= SAVED &&
         step->offset == r->offset && step->frame == r->frame.offset &&
         step->returns == r->returns.offset;
}

/* Makes the step from the code at `address` to its caller. */
static unwind_step make_step(unwind_table table, uintptr_t address) {
  unwind_step step = {.address = address, .table = table.head, .above = UNKNOWN_CALLER};
  information i;
  if (!read_information(table, address, &step.start, &i)) return step;
  if (i.is_signal) {
    step.above = NO_CALLER;
    return step;
  }
  rules first = {.base = STACK}, r;
  if (!execute(i.first, &i, 0, &first, &first)) return step;
  r = first;
  if (!execute(i.own, &i, address - step.start, &first, &r)) return step;
  if (r.returns.kind == UNDEFINED)
    step.above = NO_CALLER;
  else if (set_step(&step, &r))
    step.above = CALLER;
  return step;
}

/* Finds the step from the code at `address`. A library may have replaced another one. */
static const unwind_step *find_step(unwind_cache *cache, uintptr_t address) {
  const unwind_table table = rec_unwind_table(address);
  unwind_step *const step = &cache->steps[address % STEPS];
  if (!table.head || step->address != address || step->table != table.head)
    *step = make_step(table, address);
  return step;
}

/* Reads a word that is saved at a distance from the frame's address. */
static bool read_saved(uintptr_t at, const registers *now, stack_bounds bounds,
                       uintptr_t *value) {
  if (at % sizeof at != 0 || at < bounds.low || at < now->stack - RED_ZONE ||
      at > bounds.high - sizeof at)
    return false;
  *value = *(const uintptr_t *)(at + bounds.copy);
  return true;
}

caller rec_unwind(registers *now, stack_bounds bounds, bool interrupted,
                  unwind_cache *cache, uintptr_t *start) {
  const unwind_step *const step = find_step(cache, now->at - !interrupted);
  *start = step->start;
  if (step->above != CALLER) return step->above;
  if (!step->from_stack && now->no_frame) return UNKNOWN_CALLER;
  const uintptr_t frame =
      (step->from_stack ? now->stack : now->frame) + (uintptr_t)(intptr_t)step->offset;
  /* Frames are strictly above each other; only the innermost may be empty. */
  if (frame % sizeof frame != 0 || frame > bounds.high ||
      frame < now->stack + !interrupted)
    return UNKNOWN_CALLER;
  registers above = {now->link, frame, now->frame, 0,
                     now->no_frame && !step->saves_frame};
  const uintptr_t returns = frame + (uintptr_t)(intptr_t)step->returns;
  const uintptr_t saved = frame + (uintptr_t)(intptr_t)step->frame;
  if ((step->saves_return && !read_saved(returns, now, bounds, &above.at)) ||
      (step->saves_frame && !read_saved(saved, now, bounds, &above.frame)))
    return UNKNOWN_CALLER;
  if (step->is_signed) above.at &= ADDRESS_BITS;
  *now = above;
  return above.at != 0 ? CALLER : UNKNOWN_CALLER;
}
