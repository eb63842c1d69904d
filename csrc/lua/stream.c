/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams: buffered output for Lua, which reports write to.
 *
 * A stream collects text in a buffer and passes it in large pieces to its sink, a
 * function. stream(text) writes text unchanged. stream(format, value...) formats values
 * as string.format does, but mostly without creating Lua strings. stream:each(...)
 * does so for all rows of an iterator; stream:rows(...), in rows.c, prepares rows.
 * stream:finish() passes the rest to the sink and ends the stream; so does leaving the
 * block of a <close> variable that holds it. The sink may raise errors, but must not
 * yield or write to the stream.
 *
 * format.h describes the formats. The most recent ones are cached in parsed form.
 */
#include <lualib.h>
#include <string.h>

#include "lua/module.h"
#include "lua/stream.h"

/* The largest number of pieces and of characters in a cached format. */
enum { MAX_PIECES = 12, MAX_CHARACTERS = 1024 };

typedef struct parsed_format {
  const char *text;
  int count;
  bool positions;               /* values are selected by position */
  gp_parsed_piece pieces[MAX_PIECES];
} parsed_format;

/* The number of cached formats. */
enum { CACHED_FORMATS = 16 };

/* Parsed formats; text is NULL in free slots. */
struct gp_format_cache {
  uint32_t next;                /* formats parsed so far */
  parsed_format formats[CACHED_FORMATS];
  uint8_t guess[CACHED_FORMATS];  /* for the stack index of a format, modulo the length:
                                     the slot where the last one was found */
};

/* User values: the sink; a table of the cached formats' strings. The table keeps the
 * strings alive, because the cache compares their addresses. */
enum { STREAM_SINK = 1, STREAM_FORMATS, STREAM_CACHE, STREAM_VALUES = STREAM_CACHE };

/* --- the buffer -------------------------------------------------------------- */

static void call_sink(lua_State *L, int index, const char *text, size_t length) {
  if (length == 0) return;
  lua_getiuservalue(L, index, STREAM_SINK);
  lua_pushlstring(L, text, length);
  lua_call(L, 1, 0);
}

/* Empties the buffer before it calls the sink. So if the sink fails, the text is not
 * written twice. */
static void flush(lua_State *L, int index, gp_stream *s) {
  size_t used = s->used;
  s->used = s->row = 0;
  s->passed += used;
  call_sink(L, index, s->text, used);
  if (s->used > 0) luaL_error(L, "a stream's sink must not write to the stream");
}

static void check_open(lua_State *L, const gp_stream *s) {
  if (s->ended) luaL_error(L, "the report has ended");
}

/* Makes room for `length` bytes, at most GP_STREAM_ROOM. */
static void make_room(lua_State *L, int index, gp_stream *s, size_t length) {
  if (GP_STREAM_ROOM - s->used >= length) return;
  flush(L, index, s);
  check_open(L, s);  /* the sink may have ended the stream */
}

static void add(lua_State *L, int index, gp_stream *s, const char *text, size_t length) {
  if (length > GP_STREAM_ROOM) {
    flush(L, index, s);
    check_open(L, s);
    s->passed += length;
    call_sink(L, index, text, length);
  } else {
    make_room(L, index, s, length);
    memcpy(s->text + s->used, text, length);
    s->used += length;
  }
}

/* --- formats ----------------------------------------------------------------- */

const char *gp_format_text(lua_State *L, int index, size_t *length) {
  const char *text = lua_tolstring(L, index, length);
  if (memchr(text, '\0', *length)) luaL_error(L, "a format contains a zero byte");
  return text;
}

const char *gp_parse_piece(lua_State *L, const char *p, gp_parsed_piece *parsed) {
  gp_piece *piece = &parsed->piece;
  const char *next = gp_format_piece(p, piece);
  if (!next) luaL_error(L, "invalid conversion in format: '%s'", p + piece->length);
  parsed->is_short = piece->length <= GP_SHORT_TEXT;
  if (parsed->is_short) memcpy(parsed->text, piece->text, piece->length);
  return next;
}

/* Parses a piece whose value is not selected by name. */
static const char *parse_piece(lua_State *L, const char *p, gp_parsed_piece *parsed) {
  p = gp_parse_piece(L, p, parsed);
  if (parsed->piece.name) luaL_error(L, "only formats of stream:rows can have names");
  return p;
}

static const parsed_format *cache_format(lua_State *L, int index, gp_stream *s,
                                         int format, const parsed_format *parsed) {
  uint32_t slot = s->cache->next++ % CACHED_FORMATS;
  lua_getiuservalue(L, index, STREAM_FORMATS);
  lua_pushvalue(L, format);
  s->cache->formats[slot].text = NULL;
  lua_rawseti(L, -2, slot + 1);
  lua_pop(L, 1);
  s->cache->formats[slot] = *parsed;
  return &s->cache->formats[slot];
}

/* Returns the parsed format at stack index `format`; NULL if it is too long for the
 * cache. */
static const parsed_format *find_format(lua_State *L, int index, gp_stream *s,
                                        int format) {
  size_t length;
  const char *text = gp_format_text(L, format, &length);
  parsed_format *formats = s->cache->formats;
  uint8_t *guess = &s->cache->guess[format % CACHED_FORMATS];
  if (formats[*guess].text == text) return &formats[*guess];
  for (int i = 0; i < CACHED_FORMATS; i++)
    if (formats[i].text == text) return &formats[*guess = (uint8_t)i];
  if (length > MAX_CHARACTERS) return NULL;
  parsed_format parsed = {.text = text};
  for (const char *p = text; *p; parsed.count++) {
    if (parsed.count == MAX_PIECES) return NULL;
    p = parse_piece(L, p, &parsed.pieces[parsed.count]);
    parsed.positions |= parsed.pieces[parsed.count].piece.place > 0;
  }
  return cache_format(L, index, s, format, &parsed);
}

/* --- values -------------------------------------------------------------------- */

/* Stack index of the first value: after the arguments `stream, format` of a call, or
 * after the stack slots of stream:each(). */
enum { VALUES_OF_CALL = 3, VALUES_OF_EACH = 9 };

/* The values of a row: `count` values on the stack, from index `first` on. */
typedef struct row_values {
  int first, count;
} row_values;

/* Raises an error about a value. In stream(format, value...), the caller does not count
 * the stream as an argument. */
static int bad_value(lua_State *L, int first, int number, const char *problem) {
  if (first == VALUES_OF_CALL)
    return luaL_argerror(L, VALUES_OF_CALL + number - 2, problem);
  return luaL_error(L, "value %d of a row: %s", number, problem);
}

static const char *bad_type(lua_State *L, int index, const char *expected) {
  bool named =
      !lua_isnone(L, index) && luaL_getmetafield(L, index, "__name") == LUA_TSTRING;
  const char *given = named ? lua_tostring(L, -1) : luaL_typename(L, index);
  return lua_pushfstring(L, "%s expected, got %s", expected, given);
}

void gp_add_string(lua_State *L, int index, gp_stream *s, const char *text,
                   size_t length, gp_column_style style) {
  if (style.precision >= 0 && length > (size_t)style.precision)
    length = (size_t)style.precision;
  if (length > GP_STREAM_ROOM - GP_COLUMNS_WIDTH - GP_ROW_ROOM) {
    add(L, index, s, text, length);
    make_room(L, index, s, GP_ROW_ROOM);
    return;
  }
  make_room(L, index, s, length + GP_COLUMNS_WIDTH + GP_ROW_ROOM);
  s->used = (size_t)(gp_columns_string(s->text + s->used, text, length, style) - s->text);
}

/* Adds a string that is on the top of the stack, and pops it. Lua code has made it, which
 * may have ended the stream. */
static void add_converted(lua_State *L, int index, gp_stream *s, gp_column_style style) {
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  check_open(L, s);
  gp_add_string(L, index, s, text, length, style);
  lua_pop(L, 1);
}

/* Registry key of string.format. */
#define FORMATTER "gprof.format"

/* Returns the reason in an error of string.format: "bad argument ... (REASON)". */
static const char *reason_of(lua_State *L) {
  const char *problem = luaL_tolstring(L, -1, NULL), *reason = strstr(problem, "' (");
  if (!reason) return problem;
  return lua_pushlstring(L, reason + 3, strlen(reason + 3) - 1);
}

/* Adds a value by string.format; see gp_add_value. */
static const char *add_other(lua_State *L, int index, gp_stream *s,
                             const gp_piece *piece, int place) {
  char format[GP_LONGEST_CONVERSION + 1] = "%";
  memcpy(format + 1, piece->other, piece->other_length);
  bool is_given = !lua_isnone(L, place);
  lua_getfield(L, LUA_REGISTRYINDEX, FORMATTER);
  lua_pushlstring(L, format, piece->other_length + (size_t)1);
  if (is_given) lua_pushvalue(L, place);
  if (lua_pcall(L, is_given ? 2 : 1, 1, 0) != LUA_OK) return reason_of(L);
  add_converted(L, index, s, (gp_column_style){.precision = -1});
  return NULL;
}

/* Adds a value as tostring shows it; see gp_add_value. */
static const char *add_text(lua_State *L, int index, gp_stream *s, gp_column_style style,
                            int place) {
  size_t length;
  const char *text = lua_tolstring(L, place, &length);
  if (text) {
    gp_add_string(L, index, s, text, length, style);
  } else {
    if (lua_isnone(L, place)) return "no value";
    luaL_tolstring(L, place, NULL);
    add_converted(L, index, s, style);
  }
  return NULL;
}

const char *gp_add_value(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                         int place) {
  int fits;
  if (piece->conversion == 's') return add_text(L, index, s, piece->style, place);
  if (piece->conversion == 'd') {
    lua_Integer integer = lua_tointegerx(L, place, &fits);
    if (!fits && lua_isnumber(L, place)) return "number has no integer representation";
    if (!fits) return bad_type(L, place, "number");
    char *end = gp_columns_integer(s->text + s->used, integer, piece->style);
    s->used = (size_t)(end - s->text);
  } else if (piece->conversion == 'f') {
    lua_Number real = lua_tonumberx(L, place, &fits);
    if (!fits) return bad_type(L, place, "number");
    char *end = gp_columns_fixed(s->text + s->used, real, piece->style);
    s->used = (size_t)(end - s->text);
  } else {
    return add_other(L, index, s, piece, place);
  }
  return NULL;
}

/* Adds the value for a piece of the format: the one that a position such as %2$d selects,
 * or else value number `*next`. */
static void add_value(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                      row_values r, int *next) {
  int number = piece->place ? piece->place : (*next)++;
  int place = number <= r.count ? r.first + number - 1 : lua_gettop(L) + 1;
  const char *problem = gp_add_value(L, index, s, piece, place);
  if (problem) bad_value(L, r.first, number, problem);
}

/* --- rows ------------------------------------------------------------------------ */

void gp_begin_row(lua_State *L, int index, gp_stream *s) {
  check_open(L, s);  /* Lua code may have ended the stream since the previous row */
  make_room(L, index, s, GP_ROW_ROOM);
  s->row = s->used;
}

/* Writes a row in a cached format; see write_row. */
static int write_cached(lua_State *L, int index, gp_stream *s,
                        const parsed_format *format, row_values r) {
  int next = 1;
  uint32_t formats = s->cache->next;
  const gp_parsed_piece *end = format->pieces + format->count;
  for (const gp_parsed_piece *p = format->pieces; p < end; p++) {
    s->used = (size_t)(gp_put_literal(s->text + s->used, p) - s->text);
    if (!p->piece.conversion) continue;
    add_value(L, index, s, &p->piece, r, &next);
    if (s->cache->next != formats)
      luaL_error(L, "a stream's sink must not write to the stream");
  }
  return format->positions ? r.count : next - 1;
}

/* Writes a row in a format that is too long for the cache; see write_row. */
static int write_uncached(lua_State *L, int index, gp_stream *s, const char *format,
                          row_values r) {
  int next = 1;
  bool positions = false;
  while (*format) {
    gp_parsed_piece parsed;
    const gp_piece *piece = &parsed.piece;
    format = parse_piece(L, format, &parsed);
    add(L, index, s, piece->text, piece->length);
    if (!piece->conversion) continue;
    positions |= piece->place > 0;
    make_room(L, index, s, GP_ROW_ROOM);
    add_value(L, index, s, piece, r, &next);
  }
  return positions ? r.count : next - 1;
}

/* Writes a row in the format at stack index `format`. Returns the number of values used,
 * or of all values if the format uses positions (%2$d). */
static int write_row(lua_State *L, int index, gp_stream *s, int format, row_values r) {
  gp_begin_row(L, index, s);
  const parsed_format *parsed = find_format(L, index, s, format);
  if (!parsed) return write_uncached(L, index, s, lua_tostring(L, format), r);
  return write_cached(L, index, s, parsed, r);
}

/* --- functions for Lua -------------------------------------------------------- */

/* stream(sink) -> stream; sink(text) may raise errors */
static int new_stream(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  gp_stream *s = lua_newuserdatauv(L, sizeof *s, STREAM_VALUES);
  s->used = s->row = s->passed = 0;
  s->ended = false;
  s->cache = lua_newuserdatauv(L, sizeof *s->cache, 0);
  s->cache->next = 0;
  for (int i = 0; i < CACHED_FORMATS; i++) s->cache->formats[i].text = NULL;
  memset(s->cache->guess, 0, sizeof s->cache->guess);
  lua_setiuservalue(L, 2, STREAM_CACHE);
  luaL_setmetatable(L, GP_STREAM);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 2, STREAM_SINK);
  lua_createtable(L, CACHED_FORMATS, 0);
  lua_setiuservalue(L, 2, STREAM_FORMATS);
  return 1;
}

gp_stream *gp_check_stream(lua_State *L, int index) {
  gp_stream *s = luaL_checkudata(L, index, GP_STREAM);
  check_open(L, s);
  return s;
}

/* stream(text) or stream(format, value...). Upvalue: the metatable of streams. The stream
 * is argument 1 unless the function was taken from the metatable. */
static int call(lua_State *L) {
  gp_stream *s = lua_touserdata(L, 1);
  if (!s || !lua_getmetatable(L, 1) || !lua_rawequal(L, -1, lua_upvalueindex(1)))
    s = gp_check_stream(L, 1);
  else
    lua_pop(L, 1);
  check_open(L, s);
  size_t length;
  const row_values r = {VALUES_OF_CALL, lua_gettop(L) - 2};
  const char *text = lua_tolstring(L, 2, &length);
  if (!text) return bad_value(L, r.first, 0, bad_type(L, 2, "string"));
  if (r.count == 0) {
    add(L, 1, s, text, length);
    return 0;
  }
  int used = write_row(L, 1, s, 2, r);
  if (used < r.count)
    bad_value(L, r.first, used + 1, "more values than the format uses");
  return 0;
}

/* stream:lines(text, margin [, position [, most]]) -> the position after the last line
 * that was written, and the number of lines. Writes at most `most` lines of a text, from
 * a position on, each after a margin. */
static int write_lines(lua_State *L) {
  gp_stream *s = gp_check_stream(L, 1);
  size_t length, blank;
  const char *text = luaL_checklstring(L, 2, &length);
  const char *margin = luaL_checklstring(L, 3, &blank);
  lua_Integer position = luaL_optinteger(L, 4, 1), left = luaL_optinteger(L, 5, -1);
  luaL_argcheck(L, position >= 1, 4, "must be at least 1");
  const char *end = text + length, *line = text;
  line += (lua_Unsigned)position <= length ? (size_t)position - 1 : length;
  lua_Integer lines = 0;
  for (; line < end && lines != left; lines++) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    const char *next = newline ? newline + 1 : end;
    check_open(L, s);
    add(L, 1, s, margin, blank);
    add(L, 1, s, line, (size_t)(next - line));
    line = next;
  }
  lua_pushinteger(L, line - text + 1);
  lua_pushinteger(L, lines);
  return 2;
}

static int flush_stream(lua_State *L) {
  flush(L, 1, luaL_checkudata(L, 1, GP_STREAM));
  return 0;
}

/* stream:finish(). Ends the stream first, so that the sink cannot write to it. */
static int finish(lua_State *L) {
  gp_stream *s = luaL_checkudata(L, 1, GP_STREAM);
  s->ended = true;
  flush(L, 1, s);
  return 0;
}

/* --- stream:each ---------------------------------------------------------------- */

/* Stack indices in stream:each(names, formats, iterator...): the arguments, of which the
 * last four are the values of a generic `for`; the format of the current row. */
enum { NAMES = 2, FORMATS, NEXT, STATE, CONTROL, CLOSED, FORMAT };

/* Sets stack index FORMAT to the format of the row: the only format, or the one that the
 * second value selects. */
static void choose_format(lua_State *L) {
  lua_pushvalue(L, lua_type(L, FORMATS) == LUA_TTABLE ? VALUES_OF_EACH + 1 : FORMATS);
  if (lua_type(L, FORMATS) == LUA_TTABLE) lua_gettable(L, FORMATS);
  if (lua_type(L, -1) != LUA_TSTRING)
    luaL_error(L, "format of a row: string expected, got %s", luaL_typename(L, -1));
  lua_replace(L, FORMAT);
}

/* Writes the row whose values are on the stack. */
static void write_values(lua_State *L, gp_stream *s) {
  if (!lua_isnil(L, NAMES)) {
    lua_pushvalue(L, VALUES_OF_EACH);
    lua_gettable(L, NAMES);
    lua_replace(L, VALUES_OF_EACH);
  }
  const row_values r = {VALUES_OF_EACH, lua_gettop(L) - FORMAT};
  lua_settop(L, VALUES_OF_EACH + (r.count > 1 ? r.count - 1 : 1));
  choose_format(L);
  write_row(L, 1, s, FORMAT, r);
}

/* stream:each(names, formats, iterator...) -> number of rows. Writes a row for each step,
 * like `for a, b, c in iterator do stream(formats, a, b, c) end`. If `names` is not nil,
 * writes names[a] instead of a. If `formats` is a table, the format of a row is
 * formats[b]. */
static int each(lua_State *L) {
  gp_stream *s = gp_check_stream(L, 1);
  lua_settop(L, CLOSED);
  lua_toclose(L, CLOSED);
  lua_pushnil(L);  /* at FORMAT */
  for (lua_Integer rows = 0;; rows++) {
    lua_pushvalue(L, NEXT);
    lua_pushvalue(L, STATE);
    lua_pushvalue(L, CONTROL);
    lua_call(L, 2, LUA_MULTRET);
    luaL_checkstack(L, 8, NULL);
    if (lua_isnoneornil(L, VALUES_OF_EACH)) {
      lua_pushinteger(L, rows);
      return 1;
    }
    lua_pushvalue(L, VALUES_OF_EACH);
    lua_replace(L, CONTROL);
    write_values(L, s);
    lua_settop(L, FORMAT);
  }
}

/* Keeps string.format, because the program may replace it. */
static void keep_formatter(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, LUA_STRLIBNAME);
  lua_getfield(L, -1, "format");
  lua_setfield(L, LUA_REGISTRYINDEX, FORMATTER);
  lua_pop(L, 2);
}

void gp_define_stream(lua_State *L) {
  static const luaL_Reg meta[] = {{"__close", finish}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"flush", flush_stream}, {"finish", finish}, {"each", each},
      {"lines", write_lines}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"stream", new_stream}, {NULL, NULL}};
  gp_define_object(L, GP_STREAM, gp_get_field, meta, methods, NULL);
  luaL_getmetatable(L, GP_STREAM);
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, call, 1);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 2);
  luaL_setfuncs(L, functions, 0);
  keep_formatter(L);
}
