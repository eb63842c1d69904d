/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the blocks that never ran, and the pieces of code with known counts. */
#include "profile/code/counted_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "object/disasm.h"
#include "profile/code/jump_tables.h"
#include "profile/code/landing_pads.h"

const char gp_block_counter[] = "__sanitizer_cov_trace_pc";

/* Calls that may count a block, by address. */
typedef struct calls {
  size_t count, capacity;
  uint64_t *low, *high;   /* addresses of the instruction */
  uint64_t *slot;         /* address of the pointer that is called; 0: direct call */
  uint32_t *block;        /* the block recorded at the call, or GP_NONE */
} calls;

typedef struct jumps {
  size_t count, capacity;
  uint64_t *high;         /* one past the end of the instruction; ascending */
  uint64_t *target;       /* 0 if unknown */
  bool *conditional;
  uint64_t *table;        /* address of the jump table with the targets; 0 if unknown */
  uint64_t *reference;    /* the instruction that refers to the table */
} jumps;

/* Addresses of instructions, ascending. */
typedef struct places {
  size_t count, capacity;
  uint64_t *low;
} places;

/* What is known about a piece. */
enum {
  ENTRY = 1,        /* a function or a cold part begins here */
  TARGET = 2,       /* a jump leads here */
  REACHED = 4,      /* the preceding code continues here */
  HANDLER = 8,      /* a landing pad: an exception may lead here */
  MAY_RUN = 16,     /* uncounted, and may have run */
  INHERITED = 32,   /* continues the block of the preceding piece */
  EMPTY = 64,       /* begins with an unconditional jump or a nop */
  JUMPED_TO = 128,  /* a jump that may have run leads here */
  LEFT_TO = 256,    /* the jump of an empty block that may have run leads here */
};

/* What is known about a function. */
enum {
  COUNTED = 1,
  JUMPS_ANYWHERE = 2,   /* a jump that may have run leads to an unknown place */
  EMPTY_CASES = 4,      /* a switch that may have run leads to an empty block */
};

typedef struct search {
  gp_counted_code *found;
  const gp_blocks *recorded;
  const gp_symtab *symtab;
  uint64_t counter;         /* address of the counting function; 0: not known */
  uint64_t slot;            /* the GOT slot that contains `counter`; 0: not known */
  uint32_t *order;          /* the recorded blocks by address */
  size_t next;              /* the first block in `order` that has no call so far */
  calls calls;
  jumps jumps;
  gp_jump_tables tables;
  uint32_t decoded;         /* the function being decoded */
  uint64_t table;           /* the last table referred to since the last jump or call */
  uint64_t reference;       /* the instruction that refers to `table` */
  gp_landing_pads pads;
  places empty;             /* unconditional jumps to known places, and nops */

  uint16_t *flags;          /* for each piece: ENTRY ... LEFT_TO */
  uint32_t *function;       /* for each piece: the function it belongs to, or GP_NONE */
  uint32_t *jump;           /* for each piece: the jump at its end, or GP_NONE */
  uint32_t *stack;          /* pieces that may run, whose successors are not yet marked */
  size_t depth;
  uint8_t *function_flags;  /* for each function: COUNTED ... EMPTY_CASES */
} search;

static bool by_address(const void *context, uint32_t b, uint32_t a) {
  const uint64_t *address = context;
  return address[b] < address[a];
}

/* --- decoding -------------------------------------------------------------- */

/* Returns the address of the next recorded block; UINT64_MAX after the last one. */
static uint64_t next_recorded(const search *s) {
  return s->next < s->recorded->count ? s->recorded->address[s->order[s->next]]
                                      : UINT64_MAX;
}

/* Adds a call, direct or through a pointer at `slot`. If a block was recorded at a call
 * through a pointer, the pointer contains the address of the counting function. */
static bool add_call(search *s, gp_range code, uint64_t slot) {
  calls *c = &s->calls;
  if (!GP_RESERVE(&c->capacity, c->count + 1, GP_COLUMN(c->low), GP_COLUMN(c->high),
                  GP_COLUMN(c->slot), GP_COLUMN(c->block)))
    return false;
  bool ran = next_recorded(s) < code.high && (slot == 0 || !s->slot || slot == s->slot);
  c->low[c->count] = code.low;
  c->high[c->count] = code.high;
  c->slot[c->count] = slot;
  c->block[c->count++] = ran ? s->order[s->next++] : GP_NONE;
  if (ran && slot != 0) s->slot = slot;
  return true;
}

static bool add_jump(search *s, uint64_t high, uint64_t target, bool conditional) {
  jumps *j = &s->jumps;
  if (!GP_RESERVE(&j->capacity, j->count + 1, GP_COLUMN(j->high), GP_COLUMN(j->target),
                  GP_COLUMN(j->conditional), GP_COLUMN(j->table),
                  GP_COLUMN(j->reference)))
    return false;
  j->high[j->count] = high;
  j->target[j->count] = target;
  j->table[j->count] = target == 0 ? s->table : 0;
  j->reference[j->count] = s->reference;
  j->conditional[j->count++] = conditional;
  return target != 0 || s->table == 0 ||
         gp_jump_tables_add(&s->tables, s->table, s->decoded);
}

/* Handles the instruction at `code`. */
static bool add_instruction(search *s, gp_range code, gp_instruction kind,
                            uint64_t target) {
  bool counts = kind == GP_DIRECT_CALL && target == s->counter;
  bool empty = kind == GP_NOP || (kind == GP_JUMP && target != 0);
  if (empty) {
    places *p = &s->empty;
    if (!GP_RESERVE(&p->capacity, p->count + 1, GP_COLUMN(p->low))) return false;
    p->low[p->count++] = code.low;
  }
  switch (kind) {
    case GP_DIRECT_CALL: return !counts || add_call(s, code, 0);
    case GP_SLOT_CALL: return add_call(s, code, target);
    case GP_JUMP: return add_jump(s, code.high, target, false);
    case GP_CONDITIONAL_JUMP: return add_jump(s, code.high, target, true);
    default: return true;
  }
}

/* Decodes a range of code. Sets *counted if all blocks recorded in it are at calls. */
static bool decode_range(search *s, gp_range code, gp_disasm *decoder, bool *counted) {
  uint64_t address = code.low, target;
  while (address < code.high && next_recorded(s) >= address) {
    uint64_t start = address;
    gp_instruction kind = gp_disasm_next(decoder, &address, code.high, &target);
    gp_range instruction = {start, address};
    uint64_t reference = gp_disasm_reference(decoder);
    if (gp_jump_tables_has(&s->tables, reference, s->decoded)) {
      /* no other jump or call is between this instruction and the table's jump */
      s->table = reference;
      s->reference = start;
    }
    if (!add_instruction(s, instruction, kind, target)) return false;
    if (kind != GP_OTHER_INSTRUCTION && kind != GP_NOP) s->table = 0;
  }
  *counted = next_recorded(s) >= address;
  return true;
}

/* Decodes the code of all symbols. Sets *counted if all recorded blocks are at calls. */
static bool decode(search *s, const gp_image *image, gp_disasm *decoder, bool *counted) {
  gp_range text = {image->text_low, image->text_high};
  *counted = true;
  for (uint32_t i = 0; *counted && i < s->symtab->count; i++) {
    gp_range code = gp_range_clip(gp_symtab_range(s->symtab, i), text);
    s->decoded = gp_symtab_function(s->symtab, i);
    if (code.low < code.high && !decode_range(s, code, decoder, counted)) return false;
  }
  *counted = *counted && s->next == s->recorded->count;
  return true;
}

/* --- blocks ---------------------------------------------------------------- */

/* Drops calls through slots other than the counting function's. */
static void drop_other_calls(search *s) {
  calls *c = &s->calls;
  size_t kept = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (c->slot[i] != 0 && c->slot[i] != s->slot) continue;
    c->low[kept] = c->low[i];
    c->high[kept] = c->high[i];
    c->block[kept++] = c->block[i];
  }
  c->count = kept;
}

/* Returns how often a counting call was executed. */
static uint64_t count_of(const search *s, size_t call) {
  uint32_t block = s->calls.block[call];
  return block != GP_NONE ? s->recorded->executions[block] : 0;
}

/* Adds the block of a call. Its code may be on another line than the call. A block
 * without code is left out, unless a line begins with the call. */
static void add_block(search *s, size_t call) {
  gp_counted_code *f = s->found;
  const calls *c = &s->calls;
  bool empty = call + 1 < c->count && c->low[call + 1] == c->high[call];
  if (empty && gp_symtab_at(s->symtab, c->low[call]) == GP_NONE) return;
  size_t row = f->block_count++;
  uint32_t recorded = c->block[call];
  f->block[row] = recorded != GP_NONE ? s->recorded->address[recorded] : c->low[call];
  f->executions[row] = count_of(s, call);
  f->code[row] = empty ? c->low[call] : c->high[call];
}

static bool make_blocks(search *s) {
  gp_counted_code *f = s->found;
  const calls *c = &s->calls;
  f->block = gp_column(c->count, sizeof *f->block);
  f->executions = gp_column(c->count, sizeof *f->executions);
  f->code = gp_column(c->count, sizeof *f->code);
  if (!f->block || !f->executions || !f->code) return false;
  for (size_t i = 0; i < c->count; i++) add_block(s, i);
  return true;
}

/* --- pieces ---------------------------------------------------------------- */

static bool begins_part(const gp_symtab *symtab, uint32_t symbol) {
  const uint32_t *origin = symtab->lines->origin;
  return symbol == 0 || origin[symbol] != origin[symbol - 1];
}

/* Collects the first addresses of pieces: lines, counting calls, code after jumps,
 * targets of jumps, and landing pads of exceptions. If no jumps were found, libopcodes
 * does not identify jumps on this machine. Then the only pieces with known counts are the
 * counting calls themselves. */
static void collect_pieces(search *s) {
  gp_counted_code *f = s->found;
  const calls *c = &s->calls;
  const jumps *j = &s->jumps;
  uint64_t *low = f->low, *end = low;
  for (uint32_t i = 0; i < s->symtab->count; i++) *end++ = s->symtab->address[i];
  for (size_t i = 0; i < s->pads.count; i++) *end++ = s->pads.address[i];
  for (size_t i = 0; i < c->count; i++) {
    *end++ = c->low[i];
    if (j->count == 0) *end++ = c->high[i];
  }
  for (size_t i = 0; i < j->count; i++) {
    *end++ = j->high[i];
    if (j->target[i] != 0) *end++ = j->target[i];
  }
  for (size_t i = 0; i < s->tables.target_count; i++) *end++ = s->tables.target[i];
  f->piece_count = gp_sort_distinct(low, (size_t)(end - low));
}

/* Whether one of `count` ascending places is `address`. *next is the first place at or
 * above the address that was checked before this one. */
static bool has_place(const uint64_t *place, size_t count, size_t *next,
                      uint64_t address) {
  while (*next < count && place[*next] < address) ++*next;
  return *next < count && place[*next] == address;
}

/* Sets what is known about each piece without regard to other pieces. */
static void describe_pieces(search *s) {
  gp_counted_code *f = s->found;
  const calls *c = &s->calls;
  const jumps *j = &s->jumps;
  const gp_symtab *symtab = s->symtab;
  size_t call = 0, jump = 0, pad = 0, empty = 0;
  for (size_t i = 0; i < f->piece_count; i++) {
    uint32_t symbol = gp_symtab_above(symtab, f->low[i]) - 1;
    bool inside = symbol != UINT32_MAX;
    while (call < c->count && c->low[call] < f->low[i]) call++;
    while (jump < j->count && j->high[jump] <= f->low[i]) jump++;
    bool counted = call < c->count && c->low[call] == f->low[i];
    bool ends = jump < j->count && i + 1 < f->piece_count &&
                j->high[jump] == f->low[i + 1];
    f->counts[i] = counted ? count_of(s, call) : GP_UNCOUNTED;
    s->jump[i] = ends ? (uint32_t)jump : GP_NONE;
    s->function[i] = inside ? gp_symtab_function(symtab, symbol) : GP_NONE;
    if (counted && inside) s->function_flags[s->function[i]] |= COUNTED;
    if (inside && symtab->address[symbol] == f->low[i] && begins_part(symtab, symbol))
      s->flags[i] |= ENTRY;
    if (has_place(s->pads.address, s->pads.count, &pad, f->low[i]))
      s->flags[i] |= HANDLER;
    if (has_place(s->empty.low, s->empty.count, &empty, f->low[i])) s->flags[i] |= EMPTY;
  }
}

/* --- what never ran -------------------------------------------------------- */

/* The piece that a piece's jump leads to; GP_NONE if there is none, or if it is not
 * known. */
static uint32_t target_of(const search *s, uint32_t piece) {
  uint32_t jump = s->jump[piece];
  if (jump == GP_NONE || s->jumps.target[jump] == 0) return GP_NONE;
  return gp_counted_code_piece(s->found, s->jumps.target[jump]);
}

/* The piece that follows if no jump is made; GP_NONE if there is none in the same part of
 * the function, or if it is a landing pad: the code before it ends with a jump, a return,
 * or a call that does not return. */
static uint32_t next_of(const search *s, uint32_t piece) {
  uint32_t jump = s->jump[piece], next = piece + 1;
  if (jump != GP_NONE && !s->jumps.conditional[jump]) return GP_NONE;
  bool follows = next < s->found->piece_count && !(s->flags[next] & (ENTRY | HANDLER));
  return follows ? next : GP_NONE;
}

/* If the jump at the end of a piece uses a jump table, forgets the table when another
 * jump enters the code between the instruction that refers to the table and the end of
 * the piece. */
static void check_table(search *s, uint32_t piece) {
  uint32_t jump = s->jump[piece];
  if (jump == GP_NONE || s->jumps.table[jump] == 0) return;
  for (uint32_t i = piece; s->found->low[i] > s->jumps.reference[jump]; i--)
    if (s->flags[i] & TARGET) s->jumps.table[jump] = 0;
}

static void find_entries(search *s) {
  const gp_counted_code *f = s->found;
  const gp_jump_tables *tables = &s->tables;
  for (uint32_t i = 0; i < f->piece_count; i++) {
    uint32_t target = target_of(s, i), next = next_of(s, i);
    if (target != GP_NONE) s->flags[target] |= TARGET;
    if (next != GP_NONE) s->flags[next] |= REACHED;
  }
  for (size_t i = 0; i < tables->target_count; i++)
    s->flags[gp_counted_code_piece(f, tables->target[i])] |= TARGET;
  for (uint32_t i = 0; i < f->piece_count; i++) check_table(s, i);
}

/* Returns the first piece from `piece` on that has a counter or ends with a jump; GP_NONE
 * if there is none. */
static uint32_t first_counter(const search *s, uint32_t piece) {
  while (piece != GP_NONE && s->found->counts[piece] == GP_UNCOUNTED &&
         s->jump[piece] == GP_NONE)
    piece = next_of(s, piece);
  return piece;
}

/* Compilers count a function's first block. So if a function's first counter never ran,
 * neither did the code before it. Sets the count of that code to 0. */
static void count_idle_entries(search *s) {
  uint64_t *counts = s->found->counts;
  for (uint32_t i = 0; i < s->found->piece_count; i++) {
    if (!(s->flags[i] & ENTRY)) continue;
    uint32_t end = first_counter(s, i);
    if (end != GP_NONE && counts[end] == 0)
      memset(counts + i, 0, (end - i) * sizeof *counts);
  }
}

/* Compilers put a counter into the code that a landing pad continues with, perhaps after
 * a jump. So the landing pad has the count of this counter. But if other code may also
 * lead to the counter, the landing pad's count is known only if the counter's is 0. */
static void count_landing_pads(search *s) {
  uint64_t *counts = s->found->counts;
  for (uint32_t i = 0; i < s->found->piece_count; i++) {
    if (!(s->flags[i] & HANDLER)) continue;
    uint32_t end = first_counter(s, i);
    if (end == GP_NONE) continue;
    bool leaves = counts[end] == GP_UNCOUNTED && !s->jumps.conditional[s->jump[end]];
    uint32_t counter = leaves ? target_of(s, end) : end;
    uint64_t count = counter != GP_NONE ? counts[counter] : GP_UNCOUNTED;
    bool shared = leaves;
    for (uint32_t piece = i; !shared && piece < end;)
      shared = (s->flags[++piece] & TARGET) != 0;  /* jumps lead into the middle */
    if (count == GP_UNCOUNTED || (count > 0 && shared)) continue;
    for (uint32_t piece = i; piece < end + leaves; piece++) {
      counts[piece] = count;
      if (piece < end) s->flags[piece + 1] |= INHERITED;
    }
  }
}

/* If a counter ran, the code after it has the same count, up to a jump or the target of a
 * jump. If a counter did not run, the count of the code after it stays unknown, because a
 * jump to an unknown place may lead there. */
static void inherit(search *s) {
  gp_counted_code *f = s->found;
  for (uint32_t i = 1; i < f->piece_count; i++) {
    if (f->counts[i] != GP_UNCOUNTED || s->flags[i] & TARGET ||
        s->jump[i - 1] != GP_NONE || next_of(s, i - 1) != i)
      continue;
    s->flags[i] |= INHERITED;
    if (f->counts[i - 1] > 0) f->counts[i] = f->counts[i - 1];
  }
}

static void mark(search *s, uint32_t piece) {
  if (piece == GP_NONE || s->found->counts[piece] != GP_UNCOUNTED ||
      s->flags[piece] & MAY_RUN)
    return;
  s->flags[piece] |= MAY_RUN;
  s->stack[s->depth++] = piece;
}

/* Marks the target of a switch, or of one of its comparisons. */
static void mark_case(search *s, uint32_t piece) {
  if (piece == GP_NONE) return;
  s->flags[piece] |= JUMPED_TO;
  bool empty = s->flags[piece] & EMPTY && s->found->counts[piece] == GP_UNCOUNTED;
  if (empty && s->function[piece] != GP_NONE)
    s->function_flags[s->function[piece]] |= EMPTY_CASES;
  mark(s, piece);
}

/* Marks the targets of an indirect jump: the targets in its table or, if the table is
 * unknown, the whole function. The targets of a table are marked only once, because many
 * jumps may use it. */
static void mark_targets(search *s, uint32_t jump, uint32_t function) {
  gp_jump_table *table =
      gp_jump_tables_find(&s->tables, s->jumps.table[jump], function);
  if (!table && function != GP_NONE) s->function_flags[function] |= JUMPS_ANYWHERE;
  if (!table || table->done) return;
  table->done = true;
  for (size_t i = table->first; i < table->end; i++)
    mark_case(s, gp_counted_code_piece(s->found, s->tables.target[i]));
}

/* Marks the pieces that may run after this one. Uncounted code that is not empty contains
 * a comparison of a switch. */
static void mark_successors(search *s, uint32_t piece) {
  uint32_t jump = s->jump[piece];
  uint32_t target = target_of(s, piece);
  bool uncounted = s->found->counts[piece] == GP_UNCOUNTED;
  bool empty = (s->flags[piece] & EMPTY) != 0, compares = uncounted && !empty;
  if (jump != GP_NONE && s->jumps.target[jump] == 0)
    mark_targets(s, jump, s->function[piece]);
  if (target != GP_NONE)
    s->flags[target] |= uncounted && empty ? JUMPED_TO | LEFT_TO : JUMPED_TO;
  (compares ? mark_case : mark)(s, target);
  mark(s, next_of(s, piece));
}

/* Marks the uncounted pieces that may run: pieces without a visible way in, landing
 * pads, and all pieces that can be reached from these or from pieces that ran. */
static void mark_running(search *s) {
  const gp_counted_code *f = s->found;
  for (uint32_t i = 0; i < f->piece_count; i++) {
    if (f->counts[i] != GP_UNCOUNTED && f->counts[i] > 0) mark_successors(s, i);
    if (s->flags[i] & (ENTRY | HANDLER) || !(s->flags[i] & (TARGET | REACHED)))
      mark(s, i);
    while (s->depth > 0) mark_successors(s, s->stack[--s->depth]);
  }
}

/* Whether a piece may have run although no known way leads to it. In a function without
 * counters, any piece may have run. In a function with a jump to an unknown place, any
 * line may have run, because such a jump leads to the beginning of a line.
 *
 * The line of an empty block may also have run. If several empty cases of a switch have
 * the same target, gcc keeps only one of them; the jump of another case may be at the end
 * of the case above it. gcc also jumps over the nop that stands for a case label before a
 * loop. */
static bool is_doubtful(const search *s, size_t piece, bool begins_line) {
  uint32_t function = s->function[piece];
  uint8_t known = function != GP_NONE ? s->function_flags[function] : 0;
  uint32_t next = next_of(s, (uint32_t)piece);
  uint32_t target = target_of(s, (uint32_t)piece);
  bool passed = (next != GP_NONE && s->flags[next] & JUMPED_TO) ||
                (next == GP_NONE && target != GP_NONE && s->flags[target] & LEFT_TO);
  bool empty = s->flags[piece] & EMPTY;
  bool lost = known & JUMPS_ANYWHERE || (empty && (known & EMPTY_CASES || passed));
  return !(known & COUNTED) || (begins_line && lost);
}

/* Sets the counts of uncounted pieces: 0 for pieces that never ran, and GP_UNCOUNTED_PART
 * for parts of blocks. */
static void count_idle(search *s) {
  uint64_t *counts = s->found->counts;
  for (size_t i = 0; i < s->found->piece_count; i++) {
    uint16_t flags = s->flags[i];
    bool begins_line = gp_symtab_at(s->symtab, s->found->low[i]) != GP_NONE;
    if (counts[i] != GP_UNCOUNTED) continue;
    if (!(flags & MAY_RUN) && !is_doubtful(s, i, begins_line))
      counts[i] = 0;
    else if (!(flags & HANDLER) && !(flags & EMPTY && begins_line))
      counts[i] = GP_UNCOUNTED_PART;
  }
}

/* Joins each piece that continues a block with that block, if both have the same
 * count. */
static void join(search *s) {
  gp_counted_code *f = s->found;
  size_t kept = 0;
  for (size_t i = 0; i < f->piece_count; i++) {
    if (s->flags[i] & INHERITED && f->counts[i] == f->counts[kept - 1]) continue;
    f->low[kept] = f->low[i];
    f->counts[kept++] = f->counts[i];
  }
  f->piece_count = kept;
}

static bool make_pieces(search *s) {
  gp_counted_code *f = s->found;
  size_t most = s->symtab->count + 2 * (s->calls.count + s->jumps.count) +
                s->pads.count + s->tables.target_count;
  f->low = gp_column(most, sizeof *f->low);
  f->counts = gp_column(most, sizeof *f->counts);
  s->flags = gp_column(most, sizeof *s->flags);
  s->function = gp_column(most, sizeof *s->function);
  s->jump = gp_column(most, sizeof *s->jump);
  s->stack = gp_column(most, sizeof *s->stack);
  s->function_flags = gp_column(s->symtab->count, sizeof *s->function_flags);
  if (!f->low || !f->counts || !s->flags || !s->function || !s->jump || !s->stack ||
      !s->function_flags || most >= UINT32_MAX)
    return false;
  collect_pieces(s);
  describe_pieces(s);
  if (s->jumps.count == 0) return true;
  find_entries(s);
  count_idle_entries(s);
  count_landing_pads(s);
  inherit(s);
  mark_running(s);
  count_idle(s);
  join(s);
  return true;
}

/* --- the search ------------------------------------------------------------ */

static uint64_t find_counter(const gp_image *image, const gp_symtab *symtab) {
  for (uint32_t s = 0; s < symtab->count; s++)
    if (!gp_symtab_is_line(symtab, s) &&
        strcmp(gp_image_plain_name(image, symtab->name[s]), gp_block_counter) == 0)
      return symtab->address[s];
  return 0;
}

static bool find(search *s, const gp_image *image, gp_disasm *decoder) {
  bool counted;
  size_t count = s->recorded->count;
  s->counter = find_counter(image, s->symtab);
  s->order = gp_identity(count);
  if (!s->order || !gp_sort(s->order, count, by_address, s->recorded->address) ||
      !gp_jump_tables_open(&s->tables, image, s->symtab) ||
      !gp_landing_pads_find(&s->pads, image) ||
      !decode(s, image, decoder, &counted) || !gp_jump_tables_read(&s->tables))
    return false;
  if (!counted || !s->pads.known) return true;
  drop_other_calls(s);
  return make_blocks(s) && make_pieces(s);
}

static void free_search(search *s) {
  free(s->order);
  free(s->calls.low);
  free(s->calls.high);
  free(s->calls.slot);
  free(s->calls.block);
  free(s->jumps.high);
  free(s->jumps.target);
  free(s->jumps.conditional);
  free(s->jumps.table);
  free(s->jumps.reference);
  gp_jump_tables_free(&s->tables);
  gp_landing_pads_free(&s->pads);
  free(s->empty.low);
  free(s->flags);
  free(s->function);
  free(s->jump);
  free(s->stack);
  free(s->function_flags);
}

bool gp_counted_code_find(gp_counted_code *found, const gp_blocks *recorded,
                          const gp_image *image, const gp_symtab *symtab,
                          const gp_opcodes *opcodes, gp_error *error) {
  memset(found, 0, sizeof *found);
  if (recorded->count == 0 || !(image->text->flags & SEC_HAS_CONTENTS) ||
      !gp_disasm_knows(image, opcodes))
    return true;
  uint8_t *text = gp_disasm_text(image, image->text, error);
  if (!text) return false;
  gp_disasm decoder;
  search s = {.found = found, .recorded = recorded, .symtab = symtab};
  bool done = gp_disasm_open(&decoder, image, text, opcodes, false, error) &&
              (find(&s, image, &decoder) || gp_fail_memory(error));
  gp_disasm_close(&decoder);
  free_search(&s);
  free(text);
  if (!done) gp_counted_code_free(found);
  return done;
}

void gp_counted_code_free(gp_counted_code *code) {
  free(code->block);
  free(code->executions);
  free(code->code);
  free(code->low);
  free(code->counts);
  memset(code, 0, sizeof *code);
}

static bool begins_at_or_below(const void *table, size_t piece, uint64_t address) {
  return ((const gp_counted_code *)table)->low[piece] <= address;
}

uint32_t gp_counted_code_piece(const gp_counted_code *code, uint64_t address) {
  size_t above = gp_search(code, 0, code->piece_count, address, begins_at_or_below);
  return (uint32_t)above - 1;  /* GP_NONE for 0 */
}
