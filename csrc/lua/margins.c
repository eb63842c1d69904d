/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints source text with a margin before each line, for Lua.
 *
 * The margin of an annotated line has its seconds and counts, in the widths that the
 * report asks for. The margin of any other line is blank. A line becomes a Lua string
 * only if a Lua function colours it.
 */
#include <string.h>

#include "base/columns.h"
#include "base/count.h"
#include "lua/annotation.h"
#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/stream.h"

/* Stack indices of the arguments of annotation:print(). */
enum { ARG_ANNOTATION = 1, ARG_STREAM, ARG_TEXT, ARG_LAYOUT, ARG_LAST, ARG_FROM,
       ARG_TO };

typedef struct printing {
  lua_State *L;
  struct gp_stream *stream;
  const gp_annotation *annotation;

  /* the layout; see print_annotation */
  uint8_t width, seconds_width;
  int max_width;
  lua_Integer min_count;
  bool carry, painted;
  bool noted;
  const char *mark, *arrow;
  size_t mark_length, arrow_length;

  char *blank;              /* margin of a line that is not annotated */
  size_t blank_length;
  char *margin;             /* buffer for the margin of a line */
  char *counts;             /* buffer for the counts of a line, separated by commas */

  lua_Integer from, to;     /* the lines to print */
  bool has_last;            /* `last` applies to the next line */
  uint64_t last;            /* the last count that was printed */
  lua_Integer text_lines, lines, annotated, executed;  /* results */
} printing;

/* --- the layout ------------------------------------------------------------------- */

static lua_Integer integer_field(lua_State *L, const char *name, lua_Integer fallback) {
  int is_integer;
  lua_getfield(L, ARG_LAYOUT, name);
  bool given = lua_toboolean(L, -1);
  lua_Integer number = lua_tointegerx(L, -1, &is_integer);
  if (given && !is_integer) 
    luaL_error(L, "layout.%s: integer expected, got %s", name, luaL_typename(L, -1));
  lua_pop(L, 1);
  return given ? number : fallback;
}

static int width_field(lua_State *L, const char *name) {
  lua_Integer width = integer_field(L, name, 0);
  if (width < 0 || width > GP_COLUMNS_WIDTH)
    luaL_error(L, "layout.%s: must be from 0 to %d", name, GP_COLUMNS_WIDTH);
  return (int)width;
}

/* Returns a string field of the layout. Leaves the string on the stack, which keeps it
 * alive. */
static const char *text_field(lua_State *L, const char *name, size_t *length) {
  lua_getfield(L, ARG_LAYOUT, name);
  const char *text = lua_tolstring(L, -1, length);
  if (!text)
    luaL_error(L, "layout.%s: string expected, got %s", name, luaL_typename(L, -1));
  return text;
}

static void read_layout(lua_State *L, printing *p) {
  p->width = (uint8_t)width_field(L, "width");
  p->seconds_width = (uint8_t)width_field(L, "seconds");
  p->max_width = width_field(L, "max_width");
  p->min_count = integer_field(L, "min_count", 1);
  p->carry = gp_flag_option(L, ARG_LAYOUT, "carry");
  p->painted = gp_flag_option(L, ARG_LAYOUT, "paint");
  p->noted = gp_flag_option(L, ARG_LAYOUT, "notes");
  p->mark = text_field(L, "mark", &p->mark_length);
  p->arrow = text_field(L, "arrow", &p->arrow_length);
}

/* Returns an upper bound of the length of a line's counts: 20 digits and a comma for each
 * count, and for a count carried over from the line before. */
static size_t longest_counts(const gp_annotation *annotation) {
  size_t most = 0;
  for (size_t i = 0; i < annotation->count; i++)
    if (annotation->first[i + 1] - annotation->first[i] > most)
      most = annotation->first[i + 1] - annotation->first[i];
  return (most + 1) * 21;
}

/* Allocates the blank margin and the buffers. They stay on the Lua stack. */
static void make_margins(lua_State *L, printing *p) {
  size_t seconds = p->seconds_width > 0 ? (size_t)p->seconds_width + 1 : 0;
  size_t counts = longest_counts(p->annotation) + p->mark_length + GP_COLUMNS_WIDTH;
  p->blank_length = seconds + (size_t)p->width + p->arrow_length;
  p->blank = lua_newuserdatauv(L, p->blank_length + 1, 0);
  memset(p->blank, ' ', p->blank_length);
  p->counts = lua_newuserdatauv(L, counts + GP_COLUMNS_NUMBER, 0);
  size_t most = seconds + counts + p->arrow_length;
  p->margin = lua_newuserdatauv(L, most + GP_COLUMNS_NUMBER, 0);
}

/* --- counts ----------------------------------------------------------------------- */

typedef struct line_counts {
  size_t count;       /* number of counts; 0: unknown */
  uint64_t sum;
  size_t length;      /* characters in printing.counts */
} line_counts;

/* Adds a count. With `carry`, consecutive equal counts are printed once. */
static void add_count(printing *p, line_counts *s, uint64_t count) {
  bool repeated = p->carry && s->count > 0 && count == p->last;
  if (!gp_count_add(&s->sum, count)) s->sum = INT64_MAX;
  p->last = count;
  s->count++;
  if (repeated) return;
  if (s->count > 1) p->counts[s->length++] = ',';
  gp_column_style style = {.precision = -1};
  char *end = gp_columns_integer(p->counts + s->length, (int64_t)count, style);
  s->length = (size_t)(end - p->counts);
}

/* Collects the counts of a line. With `carry`, the last count applies to the following
 * lines of its basic block, until the next count or function. */
static line_counts collect_counts(printing *p, size_t row) {
  const gp_annotation *known = p->annotation;
  line_counts s = {0};
  if (known->flags[row] & GP_LINE_ENTRY) p->has_last = false;
  if (p->carry && p->has_last && known->flags[row] & GP_LINE_CONTINUES)
    add_count(p, &s, p->last);
  for (size_t i = known->first[row]; i < known->first[row + 1]; i++)
    if (p->carry || !known->continued[i]) add_count(p, &s, known->counts[i]);
  p->has_last |= s.count > 0;
  return s;
}

/* --- the margin ------------------------------------------------------------------- */

static char *put_blank(char *out, size_t length) {
  memset(out, ' ', length);
  return out + length;
}

static char *put_seconds(const printing *p, char *out, double seconds) {
  if (p->seconds_width == 0) return out;
  if (!(seconds > 0)) return put_blank(out, (size_t)p->seconds_width + 1);
  out = gp_columns_fixed(
      out, seconds, (gp_column_style){.width = p->seconds_width, .precision = 2});
  *out++ = ' ';
  return out;
}

/* Writes the counts, or a mark if they are low, and the arrow. */
static char *put_counts(const printing *p, char *out, const line_counts *s) {
  if (s->count == 0) return put_blank(out, (size_t)p->width + p->arrow_length);
  gp_column_style style = {.width = p->width, .precision = -1};
  char *end = (int64_t)s->sum >= p->min_count
                  ? gp_columns_string(out, p->counts, s->length, style)
                  : gp_columns_string(out, p->mark, p->mark_length, style);
  memcpy(end, p->arrow, p->arrow_length);
  end += p->arrow_length;
  return p->max_width > 0 && end - out > p->max_width ? out + p->max_width : end;
}

/* --- lines ------------------------------------------------------------------------ */

/* Writes the coloured line that layout.paint(margin, text, seconds, idle) returns. */
static void paint_line(printing *p, size_t margin, const char *text, size_t length,
                       double seconds, bool idle) {
  lua_State *L = p->L;
  lua_getfield(L, ARG_LAYOUT, "paint");
  lua_pushlstring(L, p->margin, margin);
  lua_pushlstring(L, text, length);
  lua_pushnumber(L, seconds);
  lua_pushboolean(L, idle);
  lua_call(L, 4, 1);
  const char *painted = lua_tolstring(L, -1, &length);
  if (!painted) luaL_error(L, "layout.paint: must return a string");
  gp_write_bytes(L, ARG_STREAM, p->stream, painted, length);
  lua_pop(L, 1);
}

static void print_annotated(printing *p, size_t row, const char *text, size_t length) {
  double seconds = p->annotation->seconds[row];
  line_counts s = collect_counts(p, row);
  char *end = put_counts(p, put_seconds(p, p->margin, seconds), &s);
  size_t margin = (size_t)(end - p->margin);
  p->lines++;
  p->annotated += s.count > 0;
  p->executed += s.sum > 0;
  if (p->painted) {
    bool idle = s.count > 0 && s.sum == 0 && seconds == 0;
    paint_line(p, margin, text, length, seconds, idle);
    return;
  }
  gp_write_bytes(p->L, ARG_STREAM, p->stream, p->margin, margin);
  gp_write_bytes(p->L, ARG_STREAM, p->stream, text, length);
}

/* Writes the note below the line that was printed last, whose text ends with a line break
 * unless the file does not. */
static void print_note(printing *p, bool ended) {
  lua_State *L = p->L;
  size_t length;
  if (!p->noted) return;
  lua_getfield(L, ARG_LAYOUT, "notes");
  lua_geti(L, -1, p->text_lines);
  const char *note = lua_tolstring(L, -1, &length);
  if (note) {
    if (!ended) gp_write_bytes(L, ARG_STREAM, p->stream, "\n", 1);
    gp_write_bytes(L, ARG_STREAM, p->stream, p->blank, p->blank_length);
    gp_write_bytes(L, ARG_STREAM, p->stream, note, length);
    if (ended) gp_write_bytes(L, ARG_STREAM, p->stream, "\n", 1);
  }
  lua_pop(L, 2);
}

static void print_line(printing *p, size_t row, const char *text, size_t length) {
  const gp_annotation *known = p->annotation;
  if (row < known->count && known->line[row] == p->text_lines) {
    print_annotated(p, row, text, length);
  } else {
    gp_write_bytes(p->L, ARG_STREAM, p->stream, p->blank, p->blank_length);
    gp_write_bytes(p->L, ARG_STREAM, p->stream, text, length);
  }
}

static void print_text(printing *p, const char *text, size_t length) {
  const gp_annotation *known = p->annotation;
  size_t row = 0, count = known->count;
  for (const char *end = text + length, *next; text < end; text = next) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    next = newline ? newline + 1 : end;
    p->text_lines++;
    if (p->text_lines < p->from || p->text_lines > p->to) continue;
    /* raises an error if the sink or layout.paint closed the annotation */
    if (known->count != count) gp_check_annotation(p->L, ARG_ANNOTATION);
    while (row < known->count && known->line[row] < p->text_lines) row++;
    print_line(p, row, text, (size_t)(next - text));
    print_note(p, next[-1] == '\n');
  }
}

/* annotation:print(stream, text, layout [, last [, from, to]]) -> number of lines in the
 * text; of the printed lines, those with code, with counts, and executed; the last count
 * or nil
 *
 * Writes the text with margins, or its lines `from` to `to`. `last` is the last count of
 * the text printed before.
 * Fields of the layout:
 *   `width`      columns of counts
 *   `arrow`      string between counts and text
 *   `max_width`  maximum columns of counts and arrow together; 0: no limit
 *   `min_count`  counts with a smaller sum are replaced by `mark`; default 1
 *   `mark`       string that replaces low counts
 *   `seconds`    columns of seconds before the counts; 0: none
 *   `notes`      table with strings by line number, printed below these lines
 *   `carry`      a count also applies to the following lines of its basic block
 *   `paint`      function (margin, text, seconds, idle) that returns the coloured line;
 *                `idle`: the line is known not to have been executed */
static int print_annotation(lua_State *L) {
  printing p = {.L = L, .annotation = gp_check_annotation(L, ARG_ANNOTATION)};
  size_t length;
  p.stream = gp_check_stream(L, ARG_STREAM);
  const char *text = luaL_checklstring(L, ARG_TEXT, &length);
  luaL_checktype(L, ARG_LAYOUT, LUA_TTABLE);
  p.has_last = !lua_isnoneornil(L, ARG_LAST);
  if (p.has_last) p.last = (uint64_t)luaL_checkinteger(L, ARG_LAST);
  p.from = luaL_optinteger(L, ARG_FROM, 1);
  p.to = luaL_optinteger(L, ARG_TO, LUA_MAXINTEGER);
  lua_settop(L, ARG_LAST);
  read_layout(L, &p);
  make_margins(L, &p);
  print_text(&p, text, length);
  lua_pushinteger(L, p.text_lines);
  lua_pushinteger(L, p.lines);
  lua_pushinteger(L, p.annotated);
  lua_pushinteger(L, p.executed);
  if (p.has_last)
    lua_pushinteger(L, (lua_Integer)p.last);
  else
    lua_pushnil(L);
  return 5;
}

void gp_define_margins(lua_State *L) {
  static const luaL_Reg methods[] = {{"print", print_annotation}, {NULL, NULL}};
  gp_define_methods(L, GP_ANNOTATION_OBJECT, methods);
}
