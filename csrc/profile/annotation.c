/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls, block counts and time of source lines. */
#include "profile/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"
#include "base/sort.h"

/* Adds to a sum, which must fit in a Lua integer. Larger sums become INT64_MAX. */
static void add(uint64_t *sum, uint64_t more) {
  if (!gp_count_add(sum, more)) *sum = INT64_MAX;
}

/* --- functions and lines of the profile ---------------------------------------- */

static bool is_selected(const gp_profile *profile, uint32_t symbol) {
  return gp_symtab_owner(profile->symtab, symbol) == symbol &&
         gp_is_selected(&profile->selections.of[GP_ANNOTATION], symbol);
}

bool gp_annotation_selects(const gp_profile *profile, uint32_t symbol) {
  return is_selected(profile, symbol) && !gp_symtab_is_inlined(profile->symtab, symbol);
}

typedef struct span {
  size_t first, end;
} span;

/* Returns the blocks of a line. If the table is not by line, returns none: the blocks of
 * a function are on many lines. */
static span blocks_of(const gp_profile *profile, uint32_t symbol) {
  const gp_block_counts *blocks = &profile->blocks;
  if (!profile->symtab->lines || blocks->count == 0) return (span){0, 0};
  return (span){blocks->start[symbol], blocks->start[symbol + 1]};
}

static uint64_t sum_blocks(const gp_profile *profile, uint32_t symbol) {
  uint64_t sum = 0;
  span blocks = blocks_of(profile, symbol);
  for (size_t i = blocks.first; i < blocks.end; i++)
    add(&sum, profile->blocks.executions[i]);
  return sum;
}

/* Whether the records show that a function or line was executed: it has samples, executed
 * blocks, or calls to other functions. */
static bool was_executed(const gp_profile *profile, uint32_t symbol) {
  const gp_callgraph *graph = &profile->graph;
  if (graph->self[symbol] > 0 || sum_blocks(profile, symbol) > 0) return true;
  const gp_arc_lists *callees = &graph->callees;
  for (uint32_t i = callees->start[symbol]; i < callees->start[symbol + 1]; i++)
    if (graph->count[callees->arc[i]] > 0) return true;
  return false;
}

/* Whether no line of the function was executed, as far as the records show. Then a call
 * count of 0 means that the function was not called. */
static bool is_idle(const gp_profile *profile, uint32_t function) {
  const gp_symtab *symtab = profile->symtab;
  if (!symtab->lines) return !was_executed(profile, function);
  for (uint32_t line = function; line != GP_NONE; line = symtab->lines->next[line])
    if (was_executed(profile, line)) return false;
  return true;
}

gp_file_sums gp_annotation_sums(const gp_profile *profile,
                                const gp_symbol_sources *sources, uint32_t file) {
  gp_file_sums sums = {0, 0, 0};
  for (size_t i = sources->start[file]; i < sources->start[file + 1]; i++) {
    uint32_t symbol = sources->by_file[i];
    if (!is_selected(profile, symbol)) continue;
    sums.symbols++;
    add(&sums.calls, profile->graph.calls[symbol]);
    add(&sums.blocks, sum_blocks(profile, symbol));
  }
  return sums;
}

/* --- source lines ------------------------------------------------------------------ */

/* The state of a collection: its result, and the current line. */
typedef struct collecting {
  gp_annotation *into;
  const gp_profile *profile;
  uint64_t address;       /* address of the first code of the line */
  uint64_t first_block;   /* address of the first block of the line */
  bool several;           /* the line has more code, which add_first_only ignores */
  uint32_t piece;         /* piece of code that the last count is from, or GP_NONE */
  bool uncounted;         /* the count of some code of the line is unknown */
  bool partly;            /* the count of some part of a block is unknown */
  size_t counts;          /* number of rows in `counts` so far */
} collecting;

static void add_count(collecting *c, uint64_t count, bool continued) {
  c->into->continued[c->counts] = continued;
  c->into->counts[c->counts++] = count;
}

static void add_blocks(collecting *c, size_t line, uint32_t symbol) {
  gp_annotation *a = c->into;
  const gp_block_counts *table = &c->profile->blocks;
  span blocks = blocks_of(c->profile, symbol);
  for (size_t i = blocks.first; i < blocks.end; i++) {
    if (!(a->flags[line] & GP_LINE_BLOCKS)) c->first_block = table->address[i];
    a->flags[line] |= GP_LINE_BLOCKS;
    add(&a->blocks[line], table->executions[i]);
    add_count(c, table->executions[i], false);
    c->piece = gp_counted_code_piece(&c->profile->code, table->address[i]);
  }
}

/* Adds the count of the piece of code that a symbol begins in, unless this count belongs
 * to one of the line's blocks. A line may begin in several pieces, because compilers
 * duplicate jumps. */
static void add_piece(collecting *c, uint32_t symbol) {
  const gp_profile *profile = c->profile;
  const gp_counted_code *code = &profile->code;
  uint32_t piece = gp_counted_code_piece(code, profile->symtab->address[symbol]);
  span own = blocks_of(profile, symbol);
  if (piece == GP_NONE) return;
  uint64_t end = gp_symtab_range(profile->symtab, symbol).high;
  size_t last = piece + 1;
  while (last < code->piece_count && code->low[last] < end) last++;
  for (size_t i = piece; i < last; i++) {
    c->uncounted |= code->counts[i] == GP_UNCOUNTED;
    c->partly |= code->counts[i] == GP_UNCOUNTED_PART;
  }
  bool is_own = own.first < own.end &&
                gp_counted_code_piece(code, profile->blocks.address[own.first]) == piece;
  if (code->counts[piece] >= GP_UNCOUNTED_PART || piece == c->piece || is_own) return;
  add_count(c, code->counts[piece], true);
  c->piece = piece;
}

static void add_calls(collecting *c, size_t line, uint32_t function) {
  gp_annotation *a = c->into;
  uint64_t calls = c->profile->graph.calls[function];
  a->flags[line] |= GP_LINE_ENTRY;
  if (calls == 0 && !is_idle(c->profile, function)) return;
  a->flags[line] |= GP_LINE_CALLS;
  add(&a->calls[line], calls);
  add_count(c, calls, false);
}

/* Adds a symbol's time, calls and blocks to a line. */
static void add_symbol(collecting *c, size_t line, uint32_t symbol, bool first) {
  const gp_samples *samples = &c->profile->samples;
  if (first) c->address = c->profile->symtab->address[symbol];
  if (samples->rate != 0)
    c->into->seconds[line] += c->profile->graph.self[symbol] / samples->rate;
  if (!gp_symtab_is_line(c->profile->symtab, symbol)) add_calls(c, line, symbol);
  add_piece(c, symbol);
  add_blocks(c, line, symbol);
}

/* Without the policy whole_lines, this is called instead of add_symbol. Adds only the
 * symbol's calls and, for the line's first code, its blocks. */
static void add_first_only(collecting *c, size_t line, uint32_t symbol, bool first) {
  gp_annotation *a = c->into;
  bool function = c->profile->symtab->flags[symbol] & GP_FUNCTION;
  if (function) {
    a->calls[line] += c->profile->graph.calls[symbol];  /* wraps, as in GNU gprof */
    a->flags[line] |= GP_LINE_CALLS;
  }
  if (!first) {
    c->several = true;
    if (a->flags[line] & GP_LINE_ENTRY) a->counts[a->first[line]] = a->calls[line];
    return;
  }
  c->address = c->profile->symtab->address[symbol];
  if (function) {
    a->flags[line] |= GP_LINE_ENTRY;
    add_count(c, a->calls[line], false);
  }
  add_blocks(c, line, symbol);
}

/* Ends a line. If the counts of some of its code are unknown, the line keeps its known
 * counts only if one of them is above 0. If the unknown counts include counts of whole
 * blocks, the line must also have a counted block or a known number of calls. If the
 * profile has no counts of code, the line continues the preceding block, unless a block
 * or a function begins there. */
static void end_line(collecting *c, size_t line) {
  gp_annotation *a = c->into;
  uint8_t *flags = &a->flags[line];
  bool begins = (*flags & GP_LINE_BLOCKS) && c->first_block <= c->address && !c->several;
  bool known = c->profile->code.piece_count > 0;
  if (!(*flags & GP_LINE_ENTRY) && !begins && !known) *flags |= GP_LINE_CONTINUES;
  bool counted = *flags & (GP_LINE_BLOCKS | GP_LINE_CALLS);
  bool unknown = c->uncounted || c->partly;
  bool has_run = false;
  for (size_t i = a->first[line]; unknown && i < c->counts; i++)
    has_run = has_run || a->counts[i] > 0;
  if ((c->uncounted && !counted) || (unknown && !has_run)) {
    *flags &= (uint8_t)~(GP_LINE_BLOCKS | GP_LINE_CALLS);
    c->counts = a->first[line];
  }
  a->first[line + 1] = c->counts;
  c->several = c->uncounted = c->partly = false;
  c->piece = GP_NONE;
}

/* Collects the lines of symbols, which are sorted by line: all their code if `whole`. */
static void collect(gp_annotation *a, const gp_profile *profile, const uint32_t *line_of,
                    const uint32_t *symbols, size_t count, bool whole) {
  collecting c = {.into = a, .profile = profile, .piece = GP_NONE};
  for (size_t i = 0; i < count; i++) {
    uint32_t number = line_of[symbols[i]];
    bool first = a->count == 0 || a->line[a->count - 1] != number;
    if (first && a->count > 0) end_line(&c, a->count - 1);
    if (first) a->line[a->count++] = number;
    (whole ? add_symbol : add_first_only)(&c, a->count - 1, symbols[i], first);
  }
  if (a->count > 0) end_line(&c, a->count - 1);
}

/* Allocates the columns. There are at most as many lines as symbols; each symbol has two
 * counts (its calls, and the executions of the piece of code that it begins in), and each
 * block has one. */
static bool make_columns(gp_annotation *a, const gp_profile *profile,
                         const uint32_t *symbols, size_t count) {
  size_t counts = 2 * count;
  for (size_t i = 0; i < count; i++) {
    span blocks = blocks_of(profile, symbols[i]);
    counts += blocks.end - blocks.first;
  }
  a->line = gp_column(count, sizeof *a->line);
  a->flags = gp_column(count, sizeof *a->flags);
  a->calls = gp_column(count, sizeof *a->calls);
  a->blocks = gp_column(count, sizeof *a->blocks);
  a->seconds = gp_column(count, sizeof *a->seconds);
  a->first = gp_column(count + 1, sizeof *a->first);
  a->counts = gp_column(counts, sizeof *a->counts);
  a->continued = gp_column(counts, sizeof *a->continued);
  return a->line && a->flags && a->calls && a->blocks && a->seconds && a->first &&
         a->counts && a->continued;
}

/* Returns the selected symbols of a file, sorted by address. NULL if there is no
 * memory. */
static uint32_t *selected(const gp_profile *profile, const gp_symbol_sources *sources,
                          uint32_t file, size_t *count) {
  size_t first = sources->start[file], end = sources->start[file + 1];
  uint32_t *symbols = gp_column(end - first, sizeof *symbols);
  *count = 0;
  for (size_t i = first; symbols && i < end; i++) {
    uint32_t symbol = sources->by_file[i];
    if (gp_annotation_selects(profile, symbol))
      symbols[(*count)++] = symbol;
  }
  return symbols;
}

static bool by_line(const void *context, uint32_t b, uint32_t a) {
  const uint32_t *line_of = context;
  return line_of[b] < line_of[a];
}

bool gp_annotation_collect(gp_annotation *annotation, const gp_profile *profile,
                           const gp_symbol_sources *sources, uint32_t file,
                           const gp_policy *policy) {
  size_t count;
  *annotation = (gp_annotation){0};
  uint32_t *symbols = selected(profile, sources, file, &count);
  bool done = symbols && make_columns(annotation, profile, symbols, count) &&
              gp_sort(symbols, count, by_line, sources->line);
  if (done)
    collect(annotation, profile, sources->line, symbols, count, policy->whole_lines);
  if (!done) gp_annotation_free(annotation);
  free(symbols);
  return done;
}

void gp_annotation_free(gp_annotation *annotation) {
  free(annotation->line);
  free(annotation->flags);
  free(annotation->calls);
  free(annotation->blocks);
  free(annotation->seconds);
  free(annotation->first);
  free(annotation->counts);
  free(annotation->continued);
  memset(annotation, 0, sizeof *annotation);
}
