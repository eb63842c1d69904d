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
 * Formats are those of format.h. What was read of the last ones is kept; and rows of an
 * iteration of the core are written without making Lua's values of theirs.
 */
#include <string.h>

#include "base/format.h"
#include "base/utf8_width.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/stream.h"

#define GP_STREAM "gprof.stream"

#define ROOM ((size_t)65536)

/* How many formats are kept, and of how many pieces and characters they may be: a row has
 * room for that, and for numbers. */
enum { FORMATS = 16, PIECES = 12, CHARACTERS = 1024,
       ROW_ROOM = CHARACTERS + PIECES * GP_COLUMNS_NUMBER };

/* A format that was read. */
typedef struct prepared {
  const char *text;
  int count;
  gp_piece pieces[PIECES];
} prepared;

struct gp_stream {
  size_t used;
  size_t row;                   /* where the row begins that is being written */
  bool ended;
  uint32_t next_format;         /* how many were read so far */
  prepared formats[FORMATS];    /* the last ones; text is NULL where there is none */
  char text[ROOM];
};

/* user values: what takes the text; the strings of the formats, so that no other has the
 * address of one */
enum { STREAM_SINK = 1, STREAM_FORMATS, STREAM_VALUES = STREAM_FORMATS };

/* --- gathering --------------------------------------------------------------- */

static void hand_on(lua_State *L, int index, const char *text, size_t length) {
  if (length == 0) return;
  lua_getiuservalue(L, index, STREAM_SINK);
  lua_pushlstring(L, text, length);
  lua_call(L, 1, 0);
}

/* Empties first: what fails to be written is not written twice. */
static void flush(lua_State *L, int index, gp_stream *s) {
  size_t used = s->used;
  s->used = s->row = 0;
  hand_on(L, index, s->text, used);
  if (s->used > 0) luaL_error(L, "a stream's sink must not write to it");
}

static void check_open(lua_State *L, const gp_stream *s) {
  if (s->ended) luaL_error(L, "the report has ended");
}

/* Makes room for `length` bytes, which are at most ROOM. */
static void make_room(lua_State *L, int index, gp_stream *s, size_t length) {
  if (ROOM - s->used >= length) return;
  flush(L, index, s);
  check_open(L, s);  /* the sink may have finished it */
}

static void add(lua_State *L, int index, gp_stream *s, const char *text, size_t length) {
  if (length > ROOM) {
    flush(L, index, s);
    check_open(L, s);
    hand_on(L, index, text, length);
  } else {
    make_room(L, index, s, length);
    memcpy(s->text + s->used, text, length);
    s->used += length;
  }
}

/* --- formats ----------------------------------------------------------------- */

static const char *read_piece(lua_State *L, const char *p, gp_piece *piece) {
  const char *next = gp_format_piece(p, piece);
  if (!next) luaL_error(L, "bad format: '%s'", p + piece->length);
  return next;
}

static const prepared *keep_format(lua_State *L, int index, gp_stream *s, int format,
                                   const prepared *read) {
  uint32_t slot = s->next_format++ % FORMATS;
  lua_getiuservalue(L, index, STREAM_FORMATS);
  lua_pushvalue(L, format);
  s->formats[slot].text = NULL;
  lua_rawseti(L, -2, slot + 1);
  lua_pop(L, 1);
  s->formats[slot] = *read;
  return &s->formats[slot];
}

/* The pieces of the format at stack index `format`; NULL if it is too long to be kept. */
static const prepared *prepare(lua_State *L, int index, gp_stream *s, int format) {
  size_t length;
  const char *text = lua_tolstring(L, format, &length);
  for (int i = 0; i < FORMATS; i++)
    if (s->formats[i].text == text) return &s->formats[i];
  if (length > CHARACTERS) return NULL;
  prepared read = {.text = text};
  for (const char *p = text; *p; read.count++) {
    if (read.count == PIECES) return NULL;
    p = read_piece(L, p, &read.pieces[read.count]);
  }
  return keep_format(L, index, s, format, &read);
}

/* --- values -------------------------------------------------------------------- */

/* Where values on the stack begin: behind the stream and the format that it was called
 * with, or behind what stream:each() was called with. */
enum { VALUES_OF_CALL = 3, VALUES_OF_EACH = 9 };

/* Raises the error of a value. Whoever calls a stream does not count
 * that as an argument. */
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

/* Adds a string, and leaves room for the rest of a row. */
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

/* Numbers: there is room for them. */
static void add_integer(gp_stream *s, int64_t value, gp_column_style style) {
  s->used = (size_t)(gp_columns_integer(s->text + s->used, value, style) - s->text);
}

static void add_number(gp_stream *s, double value, gp_column_style style) {
  s->used = (size_t)(gp_columns_fixed(s->text + s->used, value, style) - s->text);
}

/* Text that is the core's may be gone if whatever was called since the row was read, the
 * sink or a table's __index, closed what it was of: that is a Lua error. */
static void check_there(lua_State *L, const gp_row_values *r) {
  if (r->of) r->of->kind->open(L, r->whole);
  if (r->names) gp_check_labels_open(L, r->names);
}

/* Adds text that is the core's, and was there a moment ago. */
static void add_bytes(lua_State *L, int index, gp_stream *s, const gp_row_values *r,
                      const char *text, size_t length, gp_column_style style) {
  if (length <= ROOM - GP_COLUMNS_WIDTH - ROW_ROOM)
    make_room(L, index, s, length + GP_COLUMNS_WIDTH + ROW_ROOM);
  else
    flush(L, index, s);
  check_there(L, r);
  add_string(L, index, s, text, length, style);
}

/* Adds text that is the core's. */
static void add_text(lua_State *L, int index, gp_stream *s, const gp_row_values *r,
                     const char *text, gp_column_style style) {
  check_there(L, r);
  add_bytes(L, index, s, r, text, strlen(text), style);
}

/* How the name in a label is cut for the row to have the label's width: it gets what is
 * left beside all else. False if it fits. */
static bool is_cut(const gp_stream *s, const gp_label *made, gp_cut *cut) {
  enum { LEAST = 16 };  /* columns that a name is never shortened below */
  size_t taken = gp_utf8_width(s->text + s->row, s->used - s->row);
  for (int i = 0; i < made->count; i++)
    if (i != made->name) taken += gp_utf8_width(made->part[i], strlen(made->part[i]));
  size_t room = made->width > taken + LEAST ? made->width - taken : LEAST;
  const char *name = made->part[made->name];
  return gp_utf8_cut(name, strlen(name), room,
                     gp_utf8_width(made->mark, strlen(made->mark)), cut);
}

/* Adds a label with a name that may be too long for the row. */
static void add_fitting_label(lua_State *L, int index, gp_stream *s,
                              const gp_row_values *r, const gp_label *made) {
  const gp_column_style plain = {.precision = -1};
  gp_cut cut;
  check_there(L, r);
  int shortened = is_cut(s, made, &cut) ? made->name : -1;
  for (int i = 0; i < made->count; i++) {
    const char *text = made->part[i];
    if (i == shortened) {
      check_there(L, r);
      add_bytes(L, index, s, r, text, cut.head, plain);
      add_bytes(L, index, s, r, made->mark, strlen(made->mark), plain);
      text += cut.tail;
    }
    add_text(L, index, s, r, text, plain);
  }
}

static void add_label(lua_State *L, int index, gp_stream *s, const gp_row_values *r,
                      const gp_label *made) {
  const gp_column_style plain = {.precision = -1};
  if (made->width > 0)
    add_fitting_label(L, index, s, r, made);
  else
    for (int i = 0; i < made->count; i++)
      add_text(L, index, s, r, made->part[i], plain);
}

/* Adds the value at stack index `place`, if it is or can be made what the piece wants. */
static void add_of_stack(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                         const gp_row_values *r, int number, int place) {
  int fits;
  if (piece->conversion == 's') {
    size_t length;
    const char *text = lua_tolstring(L, place, &length);
    if (!text) bad_type(L, r, number, place, "string");
    add_string(L, index, s, text, length, piece->style);
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

/* Pushes the value of a field, wherever it is. */
static void push_field(lua_State *L, const gp_field_value *field) {
  if (field->type == GP_FIELD_PUSHED)
    lua_pushvalue(L, (int)field->as.integer);
  else
    gp_push_value(L, *field);
}

/* Adds a value that has to be made Lua's first: to be converted, or refused. */
static void add_as_lua(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                       const gp_row_values *r, int number) {
  int top = lua_gettop(L);
  check_there(L, r);
  if (number <= r->count) push_field(L, &r->fields[number - 1]);
  add_of_stack(L, index, s, piece, r, number, top + 1);
  lua_settop(L, top);
}

/* Adds the value of a field. */
static void add_of_fields(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                          const gp_row_values *r, int number) {
  if (number > r->count) {
    add_as_lua(L, index, s, piece, r, number);
    return;
  }
  const gp_field_value *v = &r->fields[number - 1];
  bool plain = piece->style.width == 0 && piece->style.precision < 0;
  if (v->type == GP_FIELD_INTEGER && piece->conversion == 'd')
    add_integer(s, v->as.integer, piece->style);
  else if (v->type == GP_FIELD_NUMBER && piece->conversion == 'f')
    add_number(s, v->as.number, piece->style);
  else if (v->type == GP_FIELD_TEXT && piece->conversion == 's')
    add_text(L, index, s, r, v->as.text, piece->style);
  else if (v->type == GP_FIELD_LABEL && piece->conversion == 's' && plain)
    add_label(L, index, s, r, v->as.label);
  else
    add_as_lua(L, index, s, piece, r, number);
}

/* Adds the value of a piece: of the number that `next` holds,
 * unless the piece chooses. */
static void add_value(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                      const gp_row_values *r, int *next) {
  int number = piece->place ? piece->place : (*next)++;
  int place = number <= r->count ? r->first + number - 1 : lua_gettop(L) + 1;
  if (r->fields)
    add_of_fields(L, index, s, piece, r, number);
  else
    add_of_stack(L, index, s, piece, r, number, place);
}

/* Adds values by a format that is kept; see gp_write_row. */
static int add_prepared(lua_State *L, int index, gp_stream *s, const prepared *kept,
                        const gp_row_values *r) {
  int next = 1;
  bool chosen = false;
  uint32_t formats = s->next_format;
  for (const gp_piece *piece = kept->pieces; piece < kept->pieces + kept->count;
       piece++) {
    memcpy(s->text + s->used, piece->text, piece->length);
    s->used += piece->length;
    if (!piece->conversion) continue;
    chosen |= piece->place > 0;
    add_value(L, index, s, piece, r, &next);
    if (s->next_format != formats) luaL_error(L, "a stream's sink must not write to it");
  }
  return chosen ? r->count : next - 1;
}

/* The same by any format. */
static int add_unprepared(lua_State *L, int index, gp_stream *s, const char *format,
                          const gp_row_values *r) {
  int next = 1;
  bool chosen = false;
  while (*format) {
    gp_piece piece;
    format = read_piece(L, format, &piece);
    add(L, index, s, piece.text, piece.length);
    if (!piece.conversion) continue;
    chosen |= piece.place > 0;
    make_room(L, index, s, ROW_ROOM);
    add_value(L, index, s, &piece, r, &next);
  }
  return chosen ? r->count : next - 1;
}

int gp_write_row(lua_State *L, int index, gp_stream *s, int format,
                 const gp_row_values *r) {
  check_open(L, s);  /* whoever was called meanwhile may have finished it */
  make_room(L, index, s, ROW_ROOM);
  s->row = s->used;
  const prepared *kept = prepare(L, index, s, format);
  if (!kept) return add_unprepared(L, index, s, lua_tostring(L, format), r);
  return add_prepared(L, index, s, kept, r);
}

/* --- what Lua sees ------------------------------------------------------------ */

/* stream(sink): the sink takes strings, and may raise an error */
static int new_stream(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  gp_stream *s = lua_newuserdatauv(L, sizeof *s, STREAM_VALUES);
  s->used = s->row = 0;
  s->ended = false;
  s->next_format = 0;
  for (int i = 0; i < FORMATS; i++) s->formats[i].text = NULL;
  luaL_setmetatable(L, GP_STREAM);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 2, STREAM_SINK);
  lua_createtable(L, FORMATS, 0);
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
  if (used < r.count) bad_value(L, &r, used + 1, "has no place in the format");
  return 0;
}

static int flush_stream(lua_State *L) {
  flush(L, 1, luaL_checkudata(L, 1, GP_STREAM));
  return 0;
}

/* Ends first: whatever the sink does, nothing more is written to it. */
static int finish(lua_State *L) {
  gp_stream *s = luaL_checkudata(L, 1, GP_STREAM);
  s->ended = true;
  flush(L, 1, s);
  return 0;
}

/* --- whole iterations ----------------------------------------------------------- */

/* stream:each(names, formats, iteration): where its arguments are,
 * and what is put there */
enum { NAMES = 2, CHOICE, NEXT, STATE, CONTROL, CLOSED, FORMAT };

/* Rows of the core with more fields are given as values, like those of others. */
enum { MOST_FIELDS = 16 };

/* Puts the format for a row in its place: the only one, or what the value at the top of
 * the stack, which is taken away, chooses. */
static void choose_format(lua_State *L) {
  if (lua_type(L, CHOICE) == LUA_TTABLE) {
    lua_gettable(L, CHOICE);
    if (lua_type(L, -1) != LUA_TSTRING)
      luaL_error(L, "the format of a row: string expected, got %s", luaL_typename(L, -1));
    lua_replace(L, FORMAT);
  } else {
    lua_pop(L, 1);
    luaL_checkstring(L, CHOICE);
    lua_pushvalue(L, CHOICE);
    lua_replace(L, FORMAT);
  }
}

/* Writes a row of values that are on the stack. */
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

/* Any iteration. Returns how many rows it had. */
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

/* Puts in what stands for the first field of a row in the table of names. */
static void look_up(lua_State *L, gp_field_value *field) {
  push_field(L, field);
  lua_gettable(L, NAMES);
  *field = (gp_field_value){GP_FIELD_PUSHED, {.integer = lua_gettop(L)}};
}

/* An iteration of the core. */
static lua_Integer write_fields(lua_State *L, gp_stream *s, gp_iteration *of) {
  gp_field_value fields[MOST_FIELDS] = {{GP_FIELD_NIL, {false}}};
  gp_label made;
  const gp_labels *names = gp_test_labels(L, NAMES);
  lua_Integer rows = 0;
  int whole = gp_push_whole(L, NEXT);
  luaL_checkstack(L, MOST_FIELDS + 8, NULL);
  for (; gp_next_fields(L, of, whole, fields) && fields[0].type != GP_FIELD_NIL; rows++) {
    push_field(L, &fields[1]);
    choose_format(L);
    if (names && fields[0].type == GP_FIELD_INTEGER) {
      gp_make_label(L, names, fields[0].as.integer, &made);
      fields[0] = gp_label_value(&made);
    } else if (!lua_isnil(L, NAMES)) {
      look_up(L, &fields[0]);
    }
    const gp_row_values r = {VALUES_OF_EACH, of->field_count, fields, of, whole, names};
    gp_write_row(L, 1, s, FORMAT, &r);
    lua_settop(L, whole);
  }
  return rows;
}

/* stream:each(names, formats, iteration) -> how many rows: writes all of an iteration
 * with several values a row, as `for a, b, c in iteration do stream(format, a, b, c)
 * end` does. If `names` is not nil, names[a] is written in place of a. `formats` is a
 * format, or a table of formats of which each row's b chooses one. */
static int each(lua_State *L) {
  gp_stream *s = gp_check_stream(L, 1);
  lua_settop(L, CLOSED);
  lua_toclose(L, CLOSED);
  lua_pushnil(L);  /* at FORMAT */
  gp_iteration *of = gp_test_iteration(L, NEXT);
  bool fields = of && of->field_count > 0 && of->field_count <= MOST_FIELDS;
  lua_pushinteger(L, fields ? write_fields(L, s, of) : write_any(L, s));
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
