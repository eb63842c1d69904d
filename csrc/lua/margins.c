/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text with a margin in front of each line, for Lua.
 *
 * Most lines of a program's text are passed on as they are, behind a blank margin. What
 * is known of the others stands in theirs: seconds, and counts, as wide as the report
 * wants them. Nothing of it becomes a string of Lua's, unless that is to paint it.
 */
#include <string.h>

#include "base/columns.h"
#include "base/count.h"
#include "lua/annotation.h"
#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/stream.h"

/* Arguments of annotation:print(). */
enum { THE_ANNOTATION = 1, THE_STREAM, THE_TEXT, THE_LAYOUT, THE_LAST };

typedef struct printing {
  lua_State *L;
  struct gp_stream *stream;
  const gp_annotation *known;

  /* the layout */
  int width, seconds_width, most;
  lua_Integer least;
  bool carry, painted;
  const char *mark, *arrow;
  size_t mark_length, arrow_length;

  /* the margin */
  char *blank, *margin;
  size_t blank_length;
  char *joined;             /* counts on their way there */

  bool carried;             /* a count of a line before holds, */
  uint64_t last;            /*   this one */
  lua_Integer text_lines, lines, annotated, executed;
} printing;

/* --- the layout ------------------------------------------------------------------- */

static lua_Integer number_field(lua_State *L, const char *name, lua_Integer otherwise) {
  int is_integer;
  lua_getfield(L, THE_LAYOUT, name);
  bool given = lua_toboolean(L, -1);
  lua_Integer number = lua_tointegerx(L, -1, &is_integer);
  if (given && !is_integer) luaL_error(L, "layout: '%s' is no integer", name);
  lua_pop(L, 1);
  return given ? number : otherwise;
}

static int width_field(lua_State *L, const char *name) {
  lua_Integer width = number_field(L, name, 0);
  if (width < 0 || width > GP_COLUMNS_WIDTH)
    luaL_error(L, "layout: '%s' is no width", name);
  return (int)width;
}

/* The text stays on the stack, as long as it is wanted. */
static const char *text_field(lua_State *L, const char *name, size_t *length) {
  lua_getfield(L, THE_LAYOUT, name);
  const char *text = lua_tolstring(L, -1, length);
  if (!text) luaL_error(L, "layout: '%s' is no string", name);
  return text;
}

static void read_layout(lua_State *L, printing *p) {
  p->width = width_field(L, "width");
  p->seconds_width = width_field(L, "seconds");
  p->most = width_field(L, "most");
  p->least = number_field(L, "least", 1);
  p->carry = gp_flag_option(L, THE_LAYOUT, "carry");
  p->painted = gp_flag_option(L, THE_LAYOUT, "paint");
  p->mark = text_field(L, "mark", &p->mark_length);
  p->arrow = text_field(L, "arrow", &p->arrow_length);
}

/* The most characters that the counts of a line can take: numbers, and commas. */
static size_t longest_counts(const gp_annotation *known) {
  size_t most = 0;
  for (size_t i = 0; i < known->count; i++)
    if (known->first[i + 1] - known->first[i] > most)
      most = known->first[i + 1] - known->first[i];
  return (most + 1) * 21;
}

/* Makes the blank margin, and room for the others, on the stack. */
static void make_margins(lua_State *L, printing *p) {
  size_t seconds = p->seconds_width > 0 ? (size_t)p->seconds_width + 1 : 0;
  size_t counts = longest_counts(p->known) + p->mark_length + GP_COLUMNS_WIDTH;
  p->blank_length = seconds + (size_t)p->width + p->arrow_length;
  p->blank = lua_newuserdatauv(L, p->blank_length + 1, 0);
  memset(p->blank, ' ', p->blank_length);
  p->joined = lua_newuserdatauv(L, counts + GP_COLUMNS_NUMBER, 0);
  size_t most = seconds + counts + p->arrow_length;
  p->margin = lua_newuserdatauv(L, most + GP_COLUMNS_NUMBER, 0);
}

/* --- counts ----------------------------------------------------------------------- */

/* What is shown beside a line. */
typedef struct shown {
  size_t count;       /* 0: nothing is known */
  uint64_t sum;
  size_t length;      /* of the counts in `joined`, divided by commas */
} shown;

/* Where counts are carried on, equal neighbours are shown as one. */
static void show(printing *p, shown *s, uint64_t count) {
  bool repeated = p->carry && s->count > 0 && count == p->last;
  if (!gp_count_add(&s->sum, count)) s->sum = INT64_MAX;
  p->last = count;
  s->count++;
  if (repeated) return;
  if (s->count > 1) p->joined[s->length++] = ',';
  gp_column_style style = {.precision = -1};
  char *end = gp_columns_integer(p->joined + s->length, (int64_t)count, style);
  s->length = (size_t)(end - p->joined);
}

/* The counts of a line. Where all lines are annotated, what was counted last holds until
 * something else is counted, or a function begins. */
static shown show_counts(printing *p, size_t row) {
  const gp_annotation *known = p->known;
  shown s = {0};
  if (known->flags[row] & GP_LINE_ENTRY) p->carried = false;
  if (p->carry && p->carried && known->flags[row] & GP_LINE_CONTINUES)
    show(p, &s, p->last);
  for (size_t i = known->first[row]; i < known->first[row + 1]; i++)
    show(p, &s, known->counts[i]);
  p->carried |= s.count > 0;
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

/* The counts, or a mark if they are low, and the arrow that leads to the text. */
static char *put_counts(const printing *p, char *out, const shown *s) {
  if (s->count == 0) return put_blank(out, (size_t)p->width + p->arrow_length);
  gp_column_style style = {.width = p->width, .precision = -1};
  char *end = (int64_t)s->sum >= p->least
                  ? gp_columns_string(out, p->joined, s->length, style)
                  : gp_columns_string(out, p->mark, p->mark_length, style);
  memcpy(end, p->arrow, p->arrow_length);
  end += p->arrow_length;
  return p->most > 0 && end - out > p->most ? out + p->most : end;
}

/* --- lines ------------------------------------------------------------------------ */

/* Has a line painted: layout.paint(margin, text, seconds, idle) returns it as a whole. */
static void paint_line(printing *p, size_t margin, const char *text, size_t length,
                       double seconds, bool idle) {
  lua_State *L = p->L;
  lua_getfield(L, THE_LAYOUT, "paint");
  lua_pushlstring(L, p->margin, margin);
  lua_pushlstring(L, text, length);
  lua_pushnumber(L, seconds);
  lua_pushboolean(L, idle);
  lua_call(L, 4, 1);
  const char *painted = lua_tolstring(L, -1, &length);
  if (!painted) luaL_error(L, "layout: 'paint' returned no string");
  gp_write_bytes(L, THE_STREAM, p->stream, painted, length);
  lua_pop(L, 1);
}

static void print_known(printing *p, size_t row, const char *text, size_t length) {
  double seconds = p->known->seconds[row];
  shown s = show_counts(p, row);
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
  gp_write_bytes(p->L, THE_STREAM, p->stream, p->margin, margin);
  gp_write_bytes(p->L, THE_STREAM, p->stream, text, length);
}

static void print_text(printing *p, const char *text, size_t length) {
  const gp_annotation *known = p->known;
  size_t row = 0, count = known->count;
  for (const char *end = text + length, *next; text < end; text = next) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    next = newline ? newline + 1 : end;
    p->text_lines++;
    if (known->count != count) gp_check_annotation(p->L, THE_ANNOTATION);  /* closed */
    while (row < known->count && known->line[row] < p->text_lines) row++;
    if (row < known->count && known->line[row] == p->text_lines) {
      print_known(p, row, text, (size_t)(next - text));
      continue;
    }
    gp_write_bytes(p->L, THE_STREAM, p->stream, p->blank, p->blank_length);
    gp_write_bytes(p->L, THE_STREAM, p->stream, text, (size_t)(next - text));
  }
}

/* annotation:print(stream, text, layout [, last]) -> how many lines the text has, of how
 * many there is code, how many have counts, how many were executed; the last count or nil
 *
 * Writes the text with margins. `last` is the last count of the text before. The layout:
 *   `width`    columns of counts
 *   `arrow`    what stands between counts and text
 *   `most`     so wide at most counts and arrow are together; 0 for any width
 *   `least`    counts whose sum is below this (1)
 *   `mark`       have a mark in their place
 *   `seconds`  columns of seconds in front of the counts; 0 for none
 *   `carry`    a count holds for the lines behind it, as far as they are of its block
 *   `paint`    a function of margin, text, seconds, and whether the line is known not to
 *              have been executed, that returns the whole line */
static int print_annotation(lua_State *L) {
  printing p = {.L = L, .known = gp_check_annotation(L, THE_ANNOTATION)};
  size_t length;
  p.stream = gp_check_stream(L, THE_STREAM);
  const char *text = luaL_checklstring(L, THE_TEXT, &length);
  luaL_checktype(L, THE_LAYOUT, LUA_TTABLE);
  p.carried = !lua_isnoneornil(L, THE_LAST);
  if (p.carried) p.last = (uint64_t)luaL_checkinteger(L, THE_LAST);
  lua_settop(L, THE_LAST);
  read_layout(L, &p);
  make_margins(L, &p);
  print_text(&p, text, length);
  lua_pushinteger(L, p.text_lines);
  lua_pushinteger(L, p.lines);
  lua_pushinteger(L, p.annotated);
  lua_pushinteger(L, p.executed);
  if (p.carried)
    lua_pushinteger(L, (lua_Integer)p.last);
  else
    lua_pushnil(L);
  return 5;
}

void gp_define_margins(lua_State *L) {
  static const luaL_Reg methods[] = {{"print", print_annotation}, {NULL, NULL}};
  gp_define_methods(L, GP_ANNOTATION_OBJECT, methods);
}
