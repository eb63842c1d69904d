/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output for Lua: what reports write to.
 *
 * A stream gathers text and hands it on in large pieces, to a function that is its
 * sink. stream(text) adds text as it is; stream(format, value...) sets values into
 * columns as string.format does, but makes no string of each line; stream:each(...)
 * does so for a whole iteration. The sink may raise errors, but not yield, nor write to
 * the stream. stream:finish() hands on what is left; so does the end of the block that
 * has the stream in a variable to be closed. After that nobody can write to it any more.
 *
 * Formats know %d, %f, %s and %%, with the flag -, width and precision, and may choose
 * their values by place, as in %2$7d.
 */
#include <string.h>

#include "binding.h"
#include "text.h"

#define GP_STREAM "gprof.stream"

#define ROOM ((size_t)32768)

typedef struct stream {
  size_t used;
  bool ended;
  char text[ROOM];
} stream;

/* --- gathering --------------------------------------------------------------- */

static void hand_on(lua_State *L, int index, const char *text, size_t length) {
  if (length == 0) return;
  lua_getiuservalue(L, index, 1);
  lua_pushlstring(L, text, length);
  lua_call(L, 1, 0);
}

/* Empties first: what fails to be written is not written twice. */
static void flush(lua_State *L, int index, stream *s) {
  size_t used = s->used;
  s->used = 0;
  hand_on(L, index, s->text, used);
}

/* Room for `length` bytes, which are at most ROOM. */
static char *reserve(lua_State *L, int index, stream *s, size_t length) {
  if (ROOM - s->used < length) flush(L, index, s);
  if (ROOM - s->used < length) luaL_error(L, "a stream's sink must not write to it");
  return s->text + s->used;
}

static void add(lua_State *L, int index, stream *s, const char *text, size_t length) {
  if (length > ROOM) {
    flush(L, index, s);
    hand_on(L, index, text, length);
  } else {
    memcpy(reserve(L, index, s, length), text, length);
    s->used += length;
  }
}

/* --- formats ----------------------------------------------------------------- */

/* A place in a format: %[N$][-][width][.precision]conversion */
typedef struct directive {
  int place;            /* of its value, from 1; 0 for the next one */
  gp_column_style style;
  char conversion;
} directive;

static int read_number(const char **p) {
  int number = 0;
  while (**p >= '0' && **p <= '9' && number <= GP_TEXT_WIDTH) number = number * 10 + *(*p)++ - '0';
  return number;
}

/* Reads what stands behind a %, and returns the end of it. */
static const char *read_directive(lua_State *L, const char *p, directive *d) {
  *d = (directive){.style = {.precision = -1}};
  const char *begin = p;
  int number = read_number(&p);
  if (number > 0 && *p == '$') {
    d->place = number;
    p++;
  } else {
    p = begin;
  }
  if (*p == '-') {
    d->style.left = true;
    p++;
  }
  d->style.width = read_number(&p);
  if (*p == '.') {
    p++;
    d->style.precision = read_number(&p);
  }
  d->conversion = *p;
  if (d->style.width > GP_TEXT_WIDTH || d->style.precision > GP_TEXT_WIDTH || !strchr("dfs", *p) ||
      !*p)
    luaL_error(L, "bad format: '%%%s'", begin);
  return p + 1;
}

/* Where the values of a format begin on the stack: behind the stream and the format that it
 * was called with, or those of a row of stream:each(). */
enum { VALUES_OF_CALL = 3, VALUES_OF_ROW = 9 };

/* Raises the error of a value. Whoever calls a stream does not count that as an argument. */
static int bad_value(lua_State *L, int value, int first, const char *problem) {
  if (first == VALUES_OF_CALL) return luaL_argerror(L, value - 1, problem);
  return luaL_error(L, "value %d of a row: %s", value - first + 1, problem);
}

static int bad_type(lua_State *L, int value, int first, const char *expected) {
  bool named = !lua_isnone(L, value) && luaL_getmetafield(L, value, "__name") == LUA_TSTRING;
  const char *given = named ? lua_tostring(L, -1) : luaL_typename(L, value);
  return bad_value(L, value, first, lua_pushfstring(L, "%s expected, got %s", expected, given));
}

static lua_Integer check_integer(lua_State *L, int value, int first) {
  int is_integer;
  lua_Integer integer = lua_tointegerx(L, value, &is_integer);
  if (!is_integer && lua_isnumber(L, value))
    bad_value(L, value, first, "number has no integer representation");
  if (!is_integer) bad_type(L, value, first, "number");
  return integer;
}

static lua_Number check_number(lua_State *L, int value, int first) {
  int is_number;
  lua_Number number = lua_tonumberx(L, value, &is_number);
  if (!is_number) bad_type(L, value, first, "number");
  return number;
}

static const char *check_string(lua_State *L, int value, int first, size_t *length) {
  const char *text = lua_tolstring(L, value, length);
  if (!text) bad_type(L, value, first, "string");
  return text;
}

static void add_string(lua_State *L, int index, stream *s, const char *text, size_t length,
                       gp_column_style style) {
  if (style.width == 0 && style.precision < 0) {
    add(L, index, s, text, length);
    return;
  }
  if (style.precision >= 0 && length > (size_t)style.precision) length = (size_t)style.precision;
  if (length > ROOM - GP_TEXT_WIDTH) luaL_error(L, "string too long for a column");
  char *out = reserve(L, index, s, length + GP_TEXT_WIDTH);
  s->used += (size_t)(gp_text_string(out, text, length, style) - out);
}

/* Adds the value at stack index `value`, one of those from `first` on. */
static void add_value(lua_State *L, int index, stream *s, const directive *d, int value,
                      int first) {
  if (d->conversion == 's') {
    size_t length;
    const char *text = check_string(L, value, first, &length);
    add_string(L, index, s, text, length, d->style);
    return;
  }
  char *out = reserve(L, index, s, GP_TEXT_NUMBER);
  char *end = d->conversion == 'd' ? gp_text_integer(out, check_integer(L, value, first), d->style)
                                   : gp_text_fixed(out, check_number(L, value, first), d->style);
  s->used += (size_t)(end - out);
}

/* Adds the values from stack index `first` on by a format. Returns the index of the
 * first value that was not used, as far as they were used in turn; 0 if they were
 * chosen by place. */
static int add_formatted(lua_State *L, int index, stream *s, const char *format, int first) {
  int next = first;
  bool by_place = false;
  for (;;) {
    const char *percent = strchr(format, '%');
    if (!percent) break;
    add(L, index, s, format, (size_t)(percent - format));
    format = percent + 1;
    if (*format == '%') {
      add(L, index, s, format++, 1);
      continue;
    }
    directive d;
    format = read_directive(L, format, &d);
    by_place |= d.place > 0;
    add_value(L, index, s, &d, d.place > 0 ? first + d.place - 1 : next++, first);
  }
  add(L, index, s, format, strlen(format));
  return by_place ? 0 : next;
}

/* --- what Lua sees ------------------------------------------------------------ */

/* stream(sink): the sink takes strings, and may raise an error */
static int new_stream(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  stream *s = lua_newuserdatauv(L, sizeof *s, 1);
  s->used = 0;
  s->ended = false;
  luaL_setmetatable(L, GP_STREAM);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 2, 1);
  return 1;
}

static void check_open(lua_State *L, const stream *s) {
  if (s->ended) luaL_error(L, "the report has ended");
}

struct stream *check_stream(lua_State *L, int index) {
  stream *s = luaL_checkudata(L, index, GP_STREAM);
  check_open(L, s);
  return s;
}

void add_to_stream(lua_State *L, int index, stream *s, const char *text, size_t length) {
  add(L, index, s, text, length);
}

/* stream(text) or stream(format, value...) */
static int call(lua_State *L) {
  stream *s = luaL_checkudata(L, 1, GP_STREAM);
  check_open(L, s);
  size_t length;
  int last = lua_gettop(L);
  const char *text = check_string(L, 2, VALUES_OF_CALL, &length);
  if (last == 2) {
    add(L, 1, s, text, length);
    return 0;
  }
  int unused = add_formatted(L, 1, s, text, VALUES_OF_CALL);
  if (unused != 0 && unused <= last)
    bad_value(L, unused, VALUES_OF_CALL, "has no place in the format");
  return 0;
}

static int flush_stream(lua_State *L) {
  flush(L, 1, luaL_checkudata(L, 1, GP_STREAM));
  return 0;
}

/* Ends first: whatever the sink does, nothing more is written to it. */
static int finish(lua_State *L) {
  stream *s = luaL_checkudata(L, 1, GP_STREAM);
  s->ended = true;
  flush(L, 1, s);
  return 0;
}

/* Replaces the first value of a row, at `first`, by what stands for it in the table of
 * names. */
static void look_up(lua_State *L, int names, int first) {
  if (lua_isnil(L, names)) return;
  lua_pushvalue(L, first);
  lua_gettable(L, names);
  lua_replace(L, first);
}

/* The format for a row: `formats`, or what the row's second value chooses there. It is
 * kept at stack index `place`: nobody else may hold it. */
static const char *choose_format(lua_State *L, int formats, int first, int place) {
  if (lua_type(L, formats) != LUA_TTABLE) return luaL_checkstring(L, formats);
  lua_pushvalue(L, first + 1);
  lua_gettable(L, formats);
  lua_replace(L, place);
  return luaL_checkstring(L, place);
}

/* stream:each(names, formats, iteration) -> how many rows: writes all of an iteration
 * with several values a row, as `for a, b, c in iteration do stream(format, a, b, c)
 * end` does. If `names` is not nil, names[a] is written in place of a. `formats` is a
 * format, or a table of formats of which each row's b chooses one. */
static int each(lua_State *L) {
  stream *s = luaL_checkudata(L, 1, GP_STREAM);
  check_open(L, s);
  lua_settop(L, 7);
  lua_toclose(L, 7);
  lua_pushnil(L);  /* at 8: the format of the row; its values follow */
  lua_Integer rows = 0;
  for (;; rows++) {
    lua_pushvalue(L, 4);
    lua_pushvalue(L, 5);
    lua_pushvalue(L, 6);
    lua_call(L, 2, LUA_MULTRET);
    luaL_checkstack(L, 8, NULL);
    if (lua_isnoneornil(L, VALUES_OF_ROW)) break;
    lua_pushvalue(L, VALUES_OF_ROW);
    lua_replace(L, 6);
    look_up(L, 2, VALUES_OF_ROW);
    const char *format = choose_format(L, 3, VALUES_OF_ROW, 8);
    check_open(L, s);  /* the iteration, or a table, may have finished it */
    add_formatted(L, 1, s, format, VALUES_OF_ROW);
    lua_settop(L, 8);
  }
  lua_pushinteger(L, rows);
  return 1;
}

void define_stream(lua_State *L) {
  static const luaL_Reg meta[] = {{"__call", call}, {"__close", finish}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"flush", flush_stream}, {"finish", finish}, {"each", each}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"stream", new_stream}, {NULL, NULL}};
  define_object(L, GP_STREAM, get_field, meta, methods);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
