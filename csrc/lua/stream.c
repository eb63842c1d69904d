/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams: buffered output for Lua, which reports write to.
 *
 * A stream collects text in a buffer and passes it in large pieces to its sink, a
 * function. stream(text) writes text unchanged. stream(format, value...) formats values
 * as string.format does, but without creating a Lua string per line. stream:each(...)
 * does so for all rows of an iterator. stream:finish() passes the rest to the sink and
 * ends the stream; so does leaving the block of a <close> variable that holds it. The
 * sink may raise errors, but must not yield or write to the stream.
 *
 * format.h describes the formats. The most recent ones are cached in parsed form. Rows
 * from the core's own iterators are written without creating Lua values.
 */
#include <string.h>

#include "base/format.h"
#include "base/utf8_width.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/stream.h"

#define GP_STREAM "gprof.stream"

/* Size of the buffer, in bytes. */
#define ROOM ((size_t)65536)

/* The number of cached formats, and the largest number of pieces and of characters in a
 * cached format. ROW_ROOM is enough for the text of such a format and a number for each
 * piece. */
enum { CACHED_FORMATS = 16, MAX_PIECES = 12, MAX_CHARACTERS = 1024,
       ROW_ROOM = MAX_CHARACTERS + MAX_PIECES * GP_COLUMNS_NUMBER };

/* Most literal texts of formats are at most this long. They are copied in full length,
 * because the compiler turns a memcpy of constant length into a few instructions. */
enum { SHORT_TEXT = 32 };

typedef struct parsed_piece {
  gp_piece piece;
  bool is_short;
  char text[SHORT_TEXT];        /* the literal text, if it is short */
} parsed_piece;

typedef struct parsed_format {
  const char *text;
  int count;
  bool positions;               /* values are selected by position */
  parsed_piece pieces[MAX_PIECES];
} parsed_format;

struct gp_stream {
  size_t used;                  /* bytes in the buffer */
  size_t row;                   /* where the current row begins in the buffer */
  bool ended;
  uint32_t next_format;         /* formats parsed so far */
  parsed_format formats[CACHED_FORMATS];  /* the cache; text is NULL in free slots */
  uint8_t guess[CACHED_FORMATS];  /* for the stack index of a format, modulo the length:
                                     the slot where the last one was found */
  char text[ROOM];              /* the buffer */
};

/* User values: the sink; a table of the cached formats' strings. The table keeps the
 * strings alive, because the cache compares their addresses. */
enum { STREAM_SINK = 1, STREAM_FORMATS, STREAM_VALUES = STREAM_FORMATS };

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
  call_sink(L, index, s->text, used);
  if (s->used > 0) luaL_error(L, "a stream's sink must not write to the stream");
}

static void check_open(lua_State *L, const gp_stream *s) {
  if (s->ended) luaL_error(L, "the report has ended");
}

/* Makes room for `length` bytes, at most ROOM. */
static void make_room(lua_State *L, int index, gp_stream *s, size_t length) {
  if (ROOM - s->used >= length) return;
  flush(L, index, s);
  check_open(L, s);  /* the sink may have ended the stream */
}

static void add(lua_State *L, int index, gp_stream *s, const char *text, size_t length) {
  if (length > ROOM) {
    flush(L, index, s);
    check_open(L, s);
    call_sink(L, index, text, length);
  } else {
    make_room(L, index, s, length);
    memcpy(s->text + s->used, text, length);
    s->used += length;
  }
}

/* --- formats ----------------------------------------------------------------- */

static const char *read_piece(lua_State *L, const char *p, gp_piece *piece) {
  const char *next = gp_format_piece(p, piece);
  if (!next) luaL_error(L, "invalid conversion in format: '%s'", p + piece->length);
  return next;
}

static const char *parse_piece(lua_State *L, const char *p, parsed_piece *parsed) {
  gp_piece *piece = &parsed->piece;
  p = read_piece(L, p, piece);
  parsed->is_short = piece->length <= SHORT_TEXT;
  if (parsed->is_short) memcpy(parsed->text, piece->text, piece->length);
  return p;
}

static const parsed_format *cache_format(lua_State *L, int index, gp_stream *s,
                                         int format, const parsed_format *parsed) {
  uint32_t slot = s->next_format++ % CACHED_FORMATS;
  lua_getiuservalue(L, index, STREAM_FORMATS);
  lua_pushvalue(L, format);
  s->formats[slot].text = NULL;
  lua_rawseti(L, -2, slot + 1);
  lua_pop(L, 1);
  s->formats[slot] = *parsed;
  return &s->formats[slot];
}

/* Returns the parsed format at stack index `format`; NULL if it is too long for the
 * cache. */
static const parsed_format *find_format(lua_State *L, int index, gp_stream *s,
                                        int format) {
  size_t length;
  const char *text = lua_tolstring(L, format, &length);
  uint8_t *guess = &s->guess[format % CACHED_FORMATS];
  if (s->formats[*guess].text == text) return &s->formats[*guess];
  for (int i = 0; i < CACHED_FORMATS; i++)
    if (s->formats[i].text == text) return &s->formats[*guess = (uint8_t)i];
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

/* Raises an error about a value. In stream(format, value...), the caller does not count
 * the stream as an argument. */
static int bad_value(lua_State *L, const gp_row_values *r, int number,
                     const char *problem) {
  if (r->first == VALUES_OF_CALL)
    return luaL_argerror(L, VALUES_OF_CALL + number - 2, problem);
  return luaL_error(L, "value %d of a row: %s", number, problem);
}

static int bad_type(lua_State *L, const gp_row_values *r, int number, int index,
                    const char *expected) {
  bool named =
      !lua_isnone(L, index) && luaL_getmetafield(L, index, "__name") == LUA_TSTRING;
  const char *given = named ? lua_tostring(L, -1) : luaL_typename(L, index);
  return bad_value(L, r, number,
                   lua_pushfstring(L, "%s expected, got %s", expected, given));
}

/* Adds a string, and makes room for the rest of the row. */
static void add_string(lua_State *L, int index, gp_stream *s, const char *text,
                       size_t length, gp_column_style style) {
  if (style.precision >= 0 && length > (size_t)style.precision)
    length = (size_t)style.precision;
  if (length > ROOM - GP_COLUMNS_WIDTH - ROW_ROOM) {
    add(L, index, s, text, length);
    make_room(L, index, s, ROW_ROOM);
    return;
  }
  make_room(L, index, s, length + GP_COLUMNS_WIDTH + ROW_ROOM);
  s->used = (size_t)(gp_columns_string(s->text + s->used, text, length, style) - s->text);
}

/* Adds a number, for which add_string or gp_write_row made room. */
static void add_integer(gp_stream *s, int64_t value, gp_column_style style) {
  s->used = (size_t)(gp_columns_integer(s->text + s->used, value, style) - s->text);
}

static void add_number(gp_stream *s, double value, gp_column_style style) {
  s->used = (size_t)(gp_columns_fixed(s->text + s->used, value, style) - s->text);
}

/* Raises an error if the owner of the row's strings was closed. The sink or an __index
 * metamethod can close the owner while the row is written, which frees the strings. */
static void check_owner(lua_State *L, const gp_row_values *r) {
  if (r->iteration) r->iteration->kind->open(L, r->whole);
  if (r->labels) gp_check_labels_open(L, r->labels);
}

/* Adds text that is owned by the row's object or labels. Flushing may close the owner, so
 * the owner is checked after the flush. */
static void add_owned_bytes(lua_State *L, int index, gp_stream *s, const gp_row_values *r,
                            const char *text, size_t length, gp_column_style style) {
  if (length <= ROOM - GP_COLUMNS_WIDTH - ROW_ROOM)
    make_room(L, index, s, length + GP_COLUMNS_WIDTH + ROW_ROOM);
  else
    flush(L, index, s);
  check_owner(L, r);
  add_string(L, index, s, text, length, style);
}

/* Like add_owned_bytes, for a C string. Checks its owner first, because strlen reads the
 * string. */
static void add_owned_text(lua_State *L, int index, gp_stream *s, const gp_row_values *r,
                           const char *text, gp_column_style style) {
  check_owner(L, r);
  add_owned_bytes(L, index, s, r, text, strlen(text), style);
}

/* Returns the columns that are left for a label's name in a line of label->width columns.
 * If fewer than MIN_NAME are left, the line wraps anyway, so the name may fill the next
 * line. */
static size_t room_for_name(const gp_stream *s, const gp_label *label) {
  enum { MIN_NAME = 16 };  /* in columns */
  size_t taken = gp_utf8_width(s->text + s->row, s->used - s->row);
  for (int i = 0; i < label->count; i++)
    if (i != label->name) taken += gp_utf8_width(label->part[i], strlen(label->part[i]));
  size_t lines = (taken + MIN_NAME + label->width - 1) / label->width;
  return lines * label->width - taken;
}

/* Adds the name of a label in its form, shortened if it is too long for the row. */
static void add_fitting_name(lua_State *L, int index, gp_stream *s,
                             const gp_row_values *r, const gp_label *label) {
  const gp_column_style plain = {.precision = -1};
  const char *name = label->part[label->name];
  size_t room = label->width > 0 ? room_for_name(s, label) : SIZE_MAX;
  size_t length = strlen(name);
  if (label->form == GP_COMPLETE && length <= room) {
    add_owned_bytes(L, index, s, r, name, length, plain);
    return;
  }
  gp_push_label_name(L, label, room);
  name = lua_tolstring(L, -1, &length);
  add_string(L, index, s, name, length, plain);
  lua_pop(L, 1);
}

/* Adds a label, with its name in its form and shortened if it is too long for the row. */
static void add_fitting_label(lua_State *L, int index, gp_stream *s,
                              const gp_row_values *r, const gp_label *label) {
  const gp_column_style plain = {.precision = -1};
  for (int i = 0; i < label->count; i++) {
    check_owner(L, r);
    if (i == label->name)
      add_fitting_name(L, index, s, r, label);
    else
      add_owned_text(L, index, s, r, label->part[i], plain);
  }
}

static void add_label(lua_State *L, int index, gp_stream *s, const gp_row_values *r,
                      const gp_label *label) {
  const gp_column_style plain = {.precision = -1};
  if (label->width > 0 || label->form != GP_COMPLETE)
    add_fitting_label(L, index, s, r, label);
  else
    for (int i = 0; i < label->count; i++)
      add_owned_text(L, index, s, r, label->part[i], plain);
}

/* Adds the value at stack index `place`, converted as this piece of the format asks. */
static void add_stack_value(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                            const gp_row_values *r, int number, int place) {
  int fits;
  if (piece->conversion == 's') {
    size_t length;
    const char *text = lua_tolstring(L, place, &length);
    if (text)
      add_string(L, index, s, text, length, piece->style);
    else
      bad_type(L, r, number, place, "string");
  } else if (piece->conversion == 'd') {
    lua_Integer integer = lua_tointegerx(L, place, &fits);
    if (!fits && lua_isnumber(L, place))
      bad_value(L, r, number, "number has no integer representation");
    if (!fits) bad_type(L, r, number, place, "number");
    add_integer(s, integer, piece->style);
  } else {
    lua_Number real = lua_tonumberx(L, place, &fits);
    if (!fits) bad_type(L, r, number, place, "number");
    add_number(s, real, piece->style);
  }
}

static void push_field(lua_State *L, const gp_field_value *field) {
  if (field->type == GP_FIELD_PUSHED)
    lua_pushvalue(L, (int)field->as.integer);
  else
    gp_push_value(L, *field);
}

/* Adds a field as a Lua value, for conversions and error messages. */
static void add_as_lua_value(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                             const gp_row_values *r, int number) {
  int top = lua_gettop(L);
  check_owner(L, r);
  if (number <= r->count) push_field(L, &r->fields[number - 1]);
  add_stack_value(L, index, s, piece, r, number, top + 1);
  lua_settop(L, top);
}

/* Adds a field, without creating a Lua value where possible. */
static void add_field(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                      const gp_row_values *r, int number) {
  if (number > r->count) {
    add_as_lua_value(L, index, s, piece, r, number);
    return;
  }
  const gp_field_value *v = &r->fields[number - 1];
  const gp_column_style style = piece->style;
  char conversion = piece->conversion;
  if (v->type == GP_FIELD_INTEGER && conversion == 'd')
    add_integer(s, v->as.integer, style);
  else if (v->type == GP_FIELD_NUMBER && conversion == 'f')
    add_number(s, v->as.number, style);
  else if (v->type == GP_FIELD_TEXT && conversion == 's' && v->length > 0)
    add_owned_bytes(L, index, s, r, v->as.text, v->length, style);
  else if (v->type == GP_FIELD_TEXT && conversion == 's')
    add_owned_text(L, index, s, r, v->as.text, style);
  else if (v->type == GP_FIELD_LABEL && conversion == 's' && style.width == 0 &&
           style.precision < 0)
    add_label(L, index, s, r, v->as.label);
  else
    add_as_lua_value(L, index, s, piece, r, number);
}

/* Adds the value for a piece of the format: the one that a position such as %2$d selects,
 * or else value number `*next`. */
static void add_value(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                      const gp_row_values *r, int *next) {
  int number = piece->place ? piece->place : (*next)++;
  int place = number <= r->count ? r->first + number - 1 : lua_gettop(L) + 1;
  if (r->fields)
    add_field(L, index, s, piece, r, number);
  else
    add_stack_value(L, index, s, piece, r, number, place);
}

/* Puts the literal text of a piece at `out`. Returns one past its end. */
static char *put_literal(char *out, const parsed_piece *parsed) {
  if (parsed->is_short)
    memcpy(out, parsed->text, SHORT_TEXT);
  else
    memcpy(out, parsed->piece.text, parsed->piece.length);
  return out + parsed->piece.length;
}

/* Puts a label at `out`, if its name is not shortened and if it fits into the space that
 * is left for a piece. Returns one past the end, or NULL. */
static char *put_label(char *out, const gp_label *label) {
  const char *limit = out + GP_COLUMNS_NUMBER;
  if (label->width > 0 || label->form != GP_COMPLETE) return NULL;
  for (int i = 0; i < label->count; i++) {
    size_t length = strlen(label->part[i]);
    if (length > (size_t)(limit - out)) return NULL;
    memcpy(out, label->part[i], length);
    out += length;
  }
  return out;
}

/* Puts the most frequent fields at `out`: those that need neither more room than
 * gp_write_row made nor a Lua value. Returns one past the end, or NULL for any other. */
static inline char *put_field(char *out, const gp_piece *piece,
                              const gp_field_value *v) {
  switch (v->type) {
    case GP_FIELD_INTEGER:
      if (piece->conversion != 'd') return NULL;
      return gp_columns_integer(out, v->as.integer, piece->style);
    case GP_FIELD_NUMBER:
      if (piece->conversion != 'f') return NULL;
      return gp_columns_fixed(out, v->as.number, piece->style);
    case GP_FIELD_TEXT:
      if (piece->conversion != 's' || v->length == 0 || v->length > GP_COLUMNS_NUMBER ||
          piece->style.width != 0 || piece->style.precision >= 0)
        return NULL;
      memcpy(out, v->as.text, v->length);
      return out + v->length;
    case GP_FIELD_LABEL:
      if (piece->conversion != 's' || piece->style.width != 0 ||
          piece->style.precision >= 0)
        return NULL;
      return put_label(out, v->as.label);
    default: return NULL;
  }
}

/* Writes a row of fields in a cached format. The owner of the fields was checked after
 * the last Lua code ran. See gp_write_row. */
static int write_fields_cached(lua_State *L, int index, gp_stream *s,
                               const parsed_format *format, const gp_row_values *r) {
  int next = 1;
  uint32_t formats = s->next_format;
  char *out = s->text + s->used, *put;
  const parsed_piece *end = format->pieces + format->count;
  for (const parsed_piece *p = format->pieces; p < end; p++) {
    out = put_literal(out, p);
    if (!p->piece.conversion) continue;
    int number = p->piece.place ? p->piece.place : next++;
    if (number <= r->count &&
        (put = put_field(out, &p->piece, &r->fields[number - 1])) != NULL) {
      out = put;
      continue;
    }
    s->used = (size_t)(out - s->text);
    add_field(L, index, s, &p->piece, r, number);
    if (s->next_format != formats)
      luaL_error(L, "a stream's sink must not write to the stream");
    check_owner(L, r);
    out = s->text + s->used;
  }
  s->used = (size_t)(out - s->text);
  return format->positions ? r->count : next - 1;
}

/* Writes a row of values on the stack in a cached format; see gp_write_row. */
static int write_values_cached(lua_State *L, int index, gp_stream *s,
                               const parsed_format *format, const gp_row_values *r) {
  int next = 1;
  uint32_t formats = s->next_format;
  const parsed_piece *end = format->pieces + format->count;
  for (const parsed_piece *p = format->pieces; p < end; p++) {
    s->used = (size_t)(put_literal(s->text + s->used, p) - s->text);
    if (!p->piece.conversion) continue;
    add_value(L, index, s, &p->piece, r, &next);
    if (s->next_format != formats)
      luaL_error(L, "a stream's sink must not write to the stream");
  }
  return format->positions ? r->count : next - 1;
}

/* Writes a row in a format that is too long for the cache; see gp_write_row. */
static int write_uncached(lua_State *L, int index, gp_stream *s, const char *format,
                          const gp_row_values *r) {
  int next = 1;
  bool positions = false;
  while (*format) {
    gp_piece piece;
    format = read_piece(L, format, &piece);
    add(L, index, s, piece.text, piece.length);
    if (!piece.conversion) continue;
    positions |= piece.place > 0;
    make_room(L, index, s, ROW_ROOM);
    add_value(L, index, s, &piece, r, &next);
  }
  return positions ? r->count : next - 1;
}

int gp_write_row(lua_State *L, int index, gp_stream *s, int format,
                 const gp_row_values *r) {
  check_open(L, s);  /* Lua code may have ended the stream since the previous row */
  make_room(L, index, s, ROW_ROOM);
  s->row = s->used;
  const parsed_format *parsed = find_format(L, index, s, format);
  if (!parsed) return write_uncached(L, index, s, lua_tostring(L, format), r);
  if (!r->fields) return write_values_cached(L, index, s, parsed, r);
  check_owner(L, r);
  return write_fields_cached(L, index, s, parsed, r);
}

/* --- functions for Lua -------------------------------------------------------- */

/* stream(sink) -> stream; sink(text) may raise errors */
static int new_stream(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  gp_stream *s = lua_newuserdatauv(L, sizeof *s, STREAM_VALUES);
  s->used = s->row = 0;
  s->ended = false;
  s->next_format = 0;
  for (int i = 0; i < CACHED_FORMATS; i++) s->formats[i].text = NULL;
  memset(s->guess, 0, sizeof s->guess);
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

void gp_write_bytes(lua_State *L, int index, gp_stream *s, const char *text,
                    size_t length) {
  check_open(L, s);
  add(L, index, s, text, length);
}

void gp_write_string(lua_State *L, int index, gp_stream *s, int string) {
  size_t length;
  const char *text = lua_tolstring(L, string, &length);
  gp_write_bytes(L, index, s, text, length);
}

/* stream(text) or stream(format, value...) */
static int call(lua_State *L) {
  gp_stream *s = gp_check_stream(L, 1);
  size_t length;
  const gp_row_values r = {.first = VALUES_OF_CALL, .count = lua_gettop(L) - 2};
  const char *text = lua_tolstring(L, 2, &length);
  if (!text) return bad_type(L, &r, 0, 2, "string");
  if (r.count == 0) {
    add(L, 1, s, text, length);
    return 0;
  }
  int used = gp_write_row(L, 1, s, 2, &r);
  if (used < r.count) bad_value(L, &r, used + 1, "more values than the format uses");
  return 0;
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

/* If a row of a core iterator has more fields than this, its fields are written as Lua
 * values, as for any other iterator. */
enum { MAX_FIELDS = 16 };

/* Sets stack index FORMAT to the format of the row: the only format, or the one that the
 * value on the top of the stack selects. Pops that value. */
static void choose_format(lua_State *L) {
  if (lua_type(L, FORMATS) == LUA_TTABLE) {
    lua_gettable(L, FORMATS);
    if (lua_type(L, -1) != LUA_TSTRING)
      luaL_error(L, "format of a row: string expected, got %s", luaL_typename(L, -1));
    lua_replace(L, FORMAT);
  } else {
    lua_pop(L, 1);
    luaL_checkstring(L, FORMATS);
    lua_pushvalue(L, FORMATS);
    lua_replace(L, FORMAT);
  }
}

/* Writes the row whose values are on the stack. */
static void write_values(lua_State *L, gp_stream *s) {
  if (!lua_isnil(L, NAMES)) {
    lua_pushvalue(L, VALUES_OF_EACH);
    lua_gettable(L, NAMES);
    lua_replace(L, VALUES_OF_EACH);
  }
  const gp_row_values r = {.first = VALUES_OF_EACH, .count = lua_gettop(L) - FORMAT};
  lua_pushvalue(L, VALUES_OF_EACH + 1);
  choose_format(L);
  gp_write_row(L, 1, s, FORMAT, &r);
}

/* Writes the rows of any iterator. Returns their number. */
static lua_Integer write_any(lua_State *L, gp_stream *s) {
  for (lua_Integer rows = 0;; rows++) {
    lua_pushvalue(L, NEXT);
    lua_pushvalue(L, STATE);
    lua_pushvalue(L, CONTROL);
    lua_call(L, 2, LUA_MULTRET);
    luaL_checkstack(L, 8, NULL);
    if (lua_isnoneornil(L, VALUES_OF_EACH)) return rows;
    lua_pushvalue(L, VALUES_OF_EACH);
    lua_replace(L, CONTROL);
    write_values(L, s);
    lua_settop(L, FORMAT);
  }
}

/* Replaces the first field of a row with names[field]. */
static void replace_name(lua_State *L, gp_field_value *field) {
  push_field(L, field);
  lua_gettable(L, NAMES);
  *field = (gp_field_value){.type = GP_FIELD_PUSHED, .as.integer = lua_gettop(L)};
}

/* Writes the rows of an iteration of the core. Returns their number. */
static lua_Integer write_fields(lua_State *L, gp_stream *s, gp_iteration *iteration) {
  gp_field_value fields[MAX_FIELDS] = {{.type = GP_FIELD_NIL}};
  gp_label label;
  const gp_labels *labels = gp_test_labels(L, NAMES);
  lua_Integer rows = 0;
  int whole = gp_push_whole(L, NEXT);
  luaL_checkstack(L, MAX_FIELDS + 8, NULL);
  while (gp_next_fields(L, iteration, whole, fields) && fields[0].type != GP_FIELD_NIL) {
    push_field(L, &fields[1]);
    choose_format(L);
    if (labels && fields[0].type == GP_FIELD_INTEGER) {
      gp_make_label(L, labels, fields[0].as.integer, &label);
      fields[0] = gp_label_value(&label);
    } else if (!lua_isnil(L, NAMES)) {
      replace_name(L, &fields[0]);
    }
    const gp_row_values r = {.first = VALUES_OF_EACH, .count = iteration->field_count,
                             .fields = fields, .iteration = iteration, .whole = whole,
                             .labels = labels};
    gp_write_row(L, 1, s, FORMAT, &r);
    lua_settop(L, whole);
    rows++;
  }
  return rows;
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
  gp_iteration *of = gp_test_iteration(L, NEXT);
  bool direct = of && of->field_count > 0 && of->field_count <= MAX_FIELDS;
  lua_pushinteger(L, direct ? write_fields(L, s, of) : write_any(L, s));
  return 1;
}

void gp_define_stream(lua_State *L) {
  static const luaL_Reg meta[] = {{"__call", call}, {"__close", finish}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"flush", flush_stream}, {"finish", finish}, {"each", each}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"stream", new_stream}, {NULL, NULL}};
  gp_define_object(L, GP_STREAM, gp_get_field, meta, methods);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
