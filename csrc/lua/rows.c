/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prepared rows: rows of a stream that show fields of a profile's functions, cycles and
 * arcs.
 *
 * stream:rows(profile, list, formats [, options]) resolves the fields of formats such as
 * "%{calls:8d} %{name}\n" once, and returns a function that writes rows:
 * row(id [, value...]) -> number of rows, and of bytes written. Fields are written
 * without creating Lua values. `lists` below has the rows that a function can write.
 *
 * `formats` is a format, or a table that has the format for each value of a field. The
 * options:
 * - `by`: the name of that field; by default "kind";
 * - `labels`: the labels that %{label} shows for the function or cycle of a row, and
 *   %{caller} and %{callee} for those of an arc;
 * - `values`: array of the names under which formats refer to the values of a call;
 * - `paint`: a function that takes the format of a row and the values of the fields in
 *   the array `paint_by`, and returns the format to use.
 */
#include "base/array.h"
#include "base/utf8_width.h"
#include "lua/arguments.h"
#include "lua/labels.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/profile_fields.h"
#include "lua/stream.h"

#define GP_ROW_WRITER "gprof.row_writer"

/* A piece of a format. Its value is a field of the row's part, or a value of the call. */
typedef struct row_piece {
  gp_parsed_piece parsed;
  const gp_field *field;  /* NULL: a value of the call */
  bool labelled;          /* the field is the number of a node: its label is shown */
  int value;              /* number of the value in the call, from 1 */
} row_piece;

typedef struct row_format {
  size_t count;
  row_piece pieces[];
} row_format;

/* What a function of rows takes the number of, and the parts around that node that get a
 * row. Without `order`, the part itself gets one. */
typedef struct row_list {
  const char *name;
  const gp_part_kind *kind;  /* of the parts that get rows */
  enum { ANY_NODE, FUNCTION, CYCLE, ARC } argument;
  bool (*order)(const gp_callgraph *graph, uint32_t node, gp_rows *rows);
} row_list;

static const row_list lists[] = {
    {"function", &gp_function_parts, FUNCTION, NULL},
    {"cycle", &gp_cycle_parts, CYCLE, NULL},
    {"entry", &gp_node_parts, ANY_NODE, NULL},
    {"arc", &gp_arc_parts, ARC, NULL},
    {"callers", &gp_arc_parts, ANY_NODE, gp_order_callers},
    {"callees", &gp_arc_parts, ANY_NODE, gp_order_callees},
    {"members", &gp_function_parts, CYCLE, gp_order_members},
    {"lines", &gp_function_parts, FUNCTION, gp_order_lines},
    {NULL, NULL, ANY_NODE, NULL}};

/* Largest numbers of values of `by` whose formats a writer remembers, of bytes of such a
 * value, and of fields that `paint` gets. */
enum { KNOWN_FORMATS = 8, SHORT_VALUE = 24, MOST_PAINT = 8 };

/* The number of formats from `paint` that are kept. */
enum { MOST_PAINTED = 256 };

/* The number of rows that are prefetched together. */
enum { ROWS_AHEAD = 16 };

typedef struct row_writer {
  gp_stream *stream;
  const gp_profile_box *profile;  /* kept alive by the upvalue WHOLE */
  const row_list *list;
  const gp_labels *labels;  /* or NULL */
  const gp_field *by;     /* NULL: all rows have the same format */
  const gp_field *paint_by[MOST_PAINT];
  int paint_count;
  bool painted;
  const row_format *only; /* the format of all rows, unless there is `by` or `painted` */
  struct {
    char value[SHORT_VALUE];
    const row_format *format;
  } known[KNOWN_FORMATS];
  int known_count;
  unsigned parsed;        /* formats from `paint` that were parsed */
  gp_rows rows;           /* the parts around a node. Freed by the collector */
} row_writer;

/* User values of a writer: the labels; the argument `formats`; the option `paint`; a
 * table from the names of values to their numbers; a table from formats to userdata with
 * a row_format. */
enum { WRITER_LABELS = 1, WRITER_FORMATS, WRITER_PAINT, WRITER_VALUES, WRITER_PARSED,
       WRITER_USER_VALUES = WRITER_PARSED };

/* Upvalues of the function that writes rows. */
#define WRITER lua_upvalueindex(1)
#define STREAM lua_upvalueindex(2)
#define WHOLE lua_upvalueindex(3)

static int release(lua_State *L) {
  row_writer *w = luaL_checkudata(L, 1, GP_ROW_WRITER);
  gp_rows_free(&w->rows);
  return 0;
}

/* --- formats ----------------------------------------------------------------- */

static const gp_field *find_field(lua_State *L, const row_list *list, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, list->kind->fields);
  int type = lua_getfield(L, -1, name);
  lua_remove(L, -2);
  if (type != LUA_TLIGHTUSERDATA)
    luaL_error(L, "rows of %s: no field '%s'", list->name, name);
  const gp_field *field = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return field;
}

/* Returns the field with the number of the node that a name stands for if there are
 * labels; NULL for any other name. */
static const char *labelled_field(const row_list *list, const char *name) {
  bool is_arc = list->kind == &gp_arc_parts;
  if (!is_arc) return strcmp(name, "label") == 0 ? "id" : NULL;
  if (strcmp(name, "caller") == 0) return "caller_id";
  return strcmp(name, "callee") == 0 ? "callee_id" : NULL;
}

/* Finds the value of a piece by its name. The writer is at stack index `writer`. */
static void resolve(lua_State *L, int writer, const row_writer *w, row_piece *p) {
  const gp_piece *piece = &p->parsed.piece;
  if (!piece->conversion) return;
  if (!piece->name) luaL_error(L, "formats of rows need names, such as %%{calls:8d}");
  const char *name = lua_pushlstring(L, piece->name, piece->name_length);
  lua_getiuservalue(L, writer, WRITER_VALUES);
  lua_getfield(L, -1, name);
  p->value = (int)lua_tointeger(L, -1);
  const char *node = w->labels ? labelled_field(w->list, name) : NULL;
  p->labelled = p->value == 0 && node;
  if (p->value == 0) p->field = find_field(L, w->list, node ? node : name);
  lua_pop(L, 3);
}

/* Pushes the format at stack index `text` in parsed form: a userdata. */
static void push_parsed(lua_State *L, int writer, const row_writer *w, int text) {
  size_t length;
  const char *p = gp_format_text(L, text, &length);
  size_t count = 0;
  gp_parsed_piece piece;
  for (const char *at = p; *at; count++) at = gp_parse_piece(L, at, &piece);
  if (length + count * GP_COLUMNS_NUMBER > GP_ROW_ROOM)
    luaL_error(L, "format of a row: too long");
  row_format *format =
      lua_newuserdatauv(L, sizeof *format + count * sizeof *format->pieces, 0);
  memset(format, 0, sizeof *format + count * sizeof *format->pieces);
  for (; format->count < count; format->count++) {
    row_piece *next = &format->pieces[format->count];
    p = gp_parse_piece(L, p, &next->parsed);
    resolve(L, writer, w, next);
  }
}

/* Returns the format on the top of the stack in parsed form, and pops it. */
static const row_format *find_format(lua_State *L, int writer, row_writer *w) {
  if (lua_type(L, -1) != LUA_TSTRING)
    luaL_error(L, "format of a row: string expected, got %s", luaL_typename(L, -1));
  int text = lua_gettop(L);
  lua_getiuservalue(L, writer, WRITER_PARSED);
  lua_pushvalue(L, text);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    push_parsed(L, writer, w, text);
    if (w->painted && w->parsed++ % MOST_PAINTED == 0) {
      lua_newtable(L);  /* forgets the formats that `paint` returned */
      lua_setiuservalue(L, writer, WRITER_PARSED);
    }
    lua_getiuservalue(L, writer, WRITER_PARSED);
    lua_pushvalue(L, text);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
  const row_format *format = lua_touserdata(L, -1);
  lua_settop(L, text - 1);
  return format;
}

/* Pushes the format that formats[value] is. */
static void push_format(lua_State *L, row_writer *w, gp_part *p) {
  lua_getiuservalue(L, WRITER, WRITER_FORMATS);
  if (!w->by) return;
  gp_push_field(p, w->by);
  lua_gettable(L, -2);
  lua_remove(L, -2);
}

/* Replaces the format on the top of the stack with the one that `paint` returns. */
static void paint_format(lua_State *L, const row_writer *w, gp_part *p) {
  lua_getiuservalue(L, WRITER, WRITER_PAINT);
  lua_insert(L, -2);
  p->owner = gp_open_profile(L, w->profile);  /* reading the format can run Lua code */
  for (int i = 0; i < w->paint_count; i++) gp_push_field(p, w->paint_by[i]);
  lua_call(L, w->paint_count + 1, 1);
}

/* Returns the format of a row. */
static const row_format *choose_format(lua_State *L, row_writer *w, gp_part *p) {
  char text[SHORT_VALUE] = "";
  if (w->only) return w->only;
  gp_field_value value = w->by && !w->painted ? w->by->get(p) : gp_no_value;
  if (value.type == GP_FIELD_PUSHED) lua_pop(L, 1);
  bool is_text = value.type == GP_FIELD_TEXT;
  for (int i = 0; is_text && i < w->known_count; i++)
    if (strcmp(w->known[i].value, value.as.text) == 0) return w->known[i].format;
  size_t size = is_text ? strlen(value.as.text) + 1 : SIZE_MAX;
  bool is_short = size <= SHORT_VALUE;
  if (is_short) memcpy(text, value.as.text, size);
  push_format(L, w, p);
  if (w->painted) paint_format(L, w, p);
  const row_format *format = find_format(L, WRITER, w);
  if (is_short && w->known_count < KNOWN_FORMATS) {
    memcpy(w->known[w->known_count].value, text, SHORT_VALUE);
    w->known[w->known_count++].format = format;
  }
  return format;
}

/* --- values ------------------------------------------------------------------ */

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

/* Puts a text at `out`, if it fits into the space for a piece; see put_value. */
static char *put_text(char *out, const char *text, size_t length, gp_column_style style) {
  return length < GP_COLUMNS_NUMBER ? gp_columns_string(out, text, length, style) : NULL;
}

/* Puts the most frequent values at `out`: those that need neither more room than
 * gp_begin_row made nor a Lua value. Returns one past the end, or NULL for any other. */
static inline char *put_value(char *out, const gp_piece *piece, const gp_field_value *v) {
  gp_column_style style = piece->style;
  if (v->type == GP_FIELD_INTEGER && piece->conversion == 'd')
    return gp_columns_integer(out, v->as.integer, style);
  if (v->type == GP_FIELD_NUMBER && piece->conversion == 'f')
    return gp_columns_fixed(out, v->as.number, style);
  if (piece->conversion != 's') return NULL;
  if (v->type == GP_FIELD_LABEL && style.width == 0 && style.precision < 0)
    return put_label(out, v->as.label);
  if (v->type == GP_FIELD_SHORT) return put_text(out, v->as.chars, v->length, style);
  if (v->type != GP_FIELD_TEXT) return NULL;
  size_t length = v->length > 0 ? v->length : strnlen(v->as.text, GP_COLUMNS_NUMBER);
  return put_text(out, v->as.text, length, style);
}

/* Returns the columns that are left for a label's name in a line of label->width columns.
 * If fewer than MIN_NAME are left, the line wraps anyway, so the name may fill the next
 * line. */
static size_t room_for_name(const gp_stream *s, const gp_label *label) {
  enum { MIN_NAME = 16 };  /* in columns */
  size_t taken = gp_utf8_width(s->text + s->row, s->used - s->row);
  for (int i = 1; i < label->count; i++)
    taken += gp_utf8_width(label->part[i], strlen(label->part[i]));
  size_t lines = (taken + MIN_NAME + label->width - 1) / label->width;
  return lines * label->width - taken;
}

/* Adds the value at stack index `place`. */
static void add_stack_value(lua_State *L, gp_stream *s, const gp_piece *piece,
                            int place) {
  const char *problem = gp_add_value(L, STREAM, s, piece, place);
  if (!problem) return;
  const char *name = lua_pushlstring(L, piece->name, piece->name_length);
  luaL_error(L, "field '%s' of a row: %s", name, problem);
}

/* Returns the value of a field. */
static gp_field_value value_of(lua_State *L, const row_writer *w, const gp_part *p,
                               const row_piece *piece, gp_label *label) {
  gp_field_value v = piece->field->get(p);
  if (piece->labelled)
    v = gp_label_of_node(L, w->labels, (uint32_t)(v.as.integer - 1), label);
  return v;
}

/* Writes the row of a part. `values` is the number of the call's values on the stack,
 * after its first argument. */
static void write_row(lua_State *L, row_writer *w, uint32_t id, int values) {
  gp_stream *s = w->stream;
  gp_label label;
  gp_part p = {L, w->list->kind, gp_open_profile(L, w->profile), id, WHOLE};
  const row_format *format = choose_format(L, w, &p);
  gp_begin_row(L, STREAM, s);
  p.owner = gp_open_profile(L, w->profile);
  char *out = s->text + s->used, *put;
  const row_piece *end = format->pieces + format->count;
  for (const row_piece *piece = format->pieces; piece < end; piece++) {
    out = gp_put_literal(out, &piece->parsed);
    if (!piece->parsed.piece.conversion) continue;
    s->used = (size_t)(out - s->text);
    if (piece->value > 0) {
      int place = piece->value <= values ? piece->value + 1 : values + 2;
      add_stack_value(L, s, &piece->parsed.piece, place);
    } else {
      gp_field_value v = value_of(L, w, &p, piece, &label);
      if ((put = put_value(out, &piece->parsed.piece, &v)) != NULL) {
        out = put;
        continue;
      }
      /* A name is in its form, and shortened if it is too long for the row. */
      if (v.type == GP_FIELD_LABEL && v.as.label->width > 0)
        gp_push_label(L, v.as.label, room_for_name(s, v.as.label));
      else
        gp_push_value(L, v);
      add_stack_value(L, s, &piece->parsed.piece, lua_gettop(L));
      lua_settop(L, values + 1);
    }
    p.owner = gp_open_profile(L, w->profile);
    out = s->text + s->used;
  }
  s->used = (size_t)(out - s->text);
}

/* --- functions for Lua ------------------------------------------------------- */

/* Returns argument 1 of a function of rows, the number of a node or arc, as a row. */
static uint32_t check_number(lua_State *L, const gp_callgraph *graph,
                             const row_list *list) {
  lua_Integer id = luaL_checkinteger(L, 1);
  size_t nodes = graph->functions + graph->cycles;
  size_t first = list->argument == CYCLE ? graph->functions : 0;
  size_t last = list->argument == FUNCTION ? graph->functions :
                list->argument == ARC ? graph->arcs : nodes;
  luaL_argcheck(L, id > (lua_Integer)first && id <= (lua_Integer)last, 1,
                "no function, cycle or arc with this number");
  return (uint32_t)(id - 1);
}

/* Starts to load what the rows of some arcs need, from row `first` on: in a large graph,
 * the functions at their ends are anywhere in memory. */
static void prefetch_arcs(const row_writer *w, const gp_callgraph *graph, size_t first) {
  uint32_t ends[ROWS_AHEAD];
  size_t count = w->rows.count - first;
  if (count > ROWS_AHEAD) count = ROWS_AHEAD;
  const uint32_t *end = w->list->order == gp_order_callers ? graph->caller :
                                                             graph->callee;
  for (size_t i = 0; i < count; i++) {
    ends[i] = end[w->rows.row[first + i]];
    __builtin_prefetch(&graph->cycle[ends[i]]);
    __builtin_prefetch(&graph->calls[ends[i]]);
  }
  if (w->labels) gp_prefetch_labels(w->labels, ends, count);
}

/* Writes the rows of a list around a node. Returns their number. */
static size_t write_list(lua_State *L, row_writer *w, const gp_callgraph *graph,
                         uint32_t node, int values) {
  if (!w->list->order(graph, node, &w->rows)) gp_raise_no_memory(L);
  for (size_t i = 0; i < w->rows.count; i++) {
    if (i % ROWS_AHEAD == 0 && w->list->kind == &gp_arc_parts)
      prefetch_arcs(w, &gp_open_profile(L, w->profile)->graph, i);
    write_row(L, w, w->rows.row[i], values);
  }
  return w->rows.count;
}

static int write_rows(lua_State *L) {
  row_writer *w = lua_touserdata(L, WRITER);
  const gp_profile *profile = gp_open_profile(L, w->profile);
  uint32_t id = check_number(L, &profile->graph, w->list);
  int values = lua_gettop(L) - 1;
  size_t begin = w->stream->passed + w->stream->used, count = 1;
  luaL_checkstack(L, MOST_PAINT + 16, NULL);
  if (!w->list->order)
    write_row(L, w, id, values);
  else
    count = write_list(L, w, &profile->graph, id, values);
  lua_pushinteger(L, (lua_Integer)count);
  lua_pushinteger(L, (lua_Integer)(w->stream->passed + w->stream->used - begin));
  return 2;
}
/* Stack indices in stream:rows(profile, list, formats, options), then that of the
 * writer. */
enum { ARG_STREAM = 1, ARG_PROFILE, ARG_LIST, ARG_FORMATS, ARG_OPTIONS, ROW_WRITER };

static const row_list *check_list(lua_State *L) {
  const char *name = luaL_checkstring(L, ARG_LIST);
  const row_list *list = lists;
  while (list->name && strcmp(list->name, name) != 0) list++;
  if (!list->name)
    luaL_argerror(L, ARG_LIST, lua_pushfstring(L, "invalid list '%s'", name));
  return list;
}

/* Checks the names of the options, of which there may be none. */
static void check_options(lua_State *L) {
  static const char *const names[] = {"by", "labels", "values", "paint", "paint_by",
                                      NULL};
  if (lua_isnil(L, ARG_OPTIONS)) return;
  luaL_checktype(L, ARG_OPTIONS, LUA_TTABLE);
  gp_check_keys(L, ARG_OPTIONS, "option", names);
}

/* Pushes an option; nil if there are none. Returns its type. */
static int push_option(lua_State *L, const char *name) {
  if (!lua_isnil(L, ARG_OPTIONS)) return lua_getfield(L, ARG_OPTIONS, name);
  lua_pushnil(L);
  return LUA_TNIL;
}

/* Pushes an option of a type. Returns false if it is nil. */
static bool push_typed(lua_State *L, const char *name, int type) {
  int given = push_option(L, name);
  if (given != LUA_TNIL && given != type)
    luaL_error(L, "option '%s': %s expected, got %s", name, lua_typename(L, type),
               luaL_typename(L, -1));
  return given != LUA_TNIL;
}

/* Returns the field that the string on the top of the stack names, a value of the option
 * `option`. */
static const gp_field *field_option(lua_State *L, const row_list *list,
                                    const char *option) {
  if (lua_type(L, -1) != LUA_TSTRING)
    luaL_error(L, "option '%s': field name expected, got %s", option,
               luaL_typename(L, -1));
  return find_field(L, list, lua_tostring(L, -1));
}

static void read_labels(lua_State *L, row_writer *w) {
  if (push_option(L, "labels") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  w->labels = gp_test_labels(L, -1);
  if (!w->labels)
    luaL_error(L, "option 'labels': labels expected, got %s", luaL_typename(L, -1));
  if (!gp_are_labels_of(w->labels, w->profile))
    luaL_error(L, "option 'labels': these labels belong to another profile");
  lua_setiuservalue(L, ROW_WRITER, WRITER_LABELS);
}

/* Reads `paint` and `paint_by`. */
static void read_paint(lua_State *L, row_writer *w) {
  w->painted = push_typed(L, "paint", LUA_TFUNCTION);
  lua_setiuservalue(L, ROW_WRITER, WRITER_PAINT);
  if (push_typed(L, "paint_by", LUA_TTABLE) && w->painted) {
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    if (count > MOST_PAINT) luaL_error(L, "option 'paint_by': too many fields");
    for (; w->paint_count < count; w->paint_count++) {
      lua_rawgeti(L, -1, w->paint_count + 1);
      w->paint_by[w->paint_count] = field_option(L, w->list, "paint_by");
      lua_pop(L, 1);
    }
  }
  lua_settop(L, ROW_WRITER);
}

/* Makes the table of the names of values. */
static void read_values(lua_State *L) {
  lua_newtable(L);
  if (push_typed(L, "values", LUA_TTABLE)) {
    for (lua_Integer i = 1; lua_geti(L, -1, i) != LUA_TNIL; i++) {
      if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "option 'values': array of strings expected");
      lua_pushinteger(L, i);
      lua_rawset(L, ROW_WRITER + 1);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  lua_setiuservalue(L, ROW_WRITER, WRITER_VALUES);
}

static void read_formats(lua_State *L, row_writer *w) {
  lua_newtable(L);
  lua_setiuservalue(L, ROW_WRITER, WRITER_PARSED);
  lua_pushvalue(L, ARG_FORMATS);
  lua_setiuservalue(L, ROW_WRITER, WRITER_FORMATS);
  if (lua_type(L, ARG_FORMATS) == LUA_TSTRING) {
    lua_pushvalue(L, ARG_FORMATS);
    const row_format *format = find_format(L, ROW_WRITER, w);
    if (!w->painted) w->only = format;
    return;
  }
  luaL_checktype(L, ARG_FORMATS, LUA_TTABLE);
  bool is_given = push_option(L, "by") != LUA_TNIL;
  w->by = is_given ? field_option(L, w->list, "by") : find_field(L, w->list, "kind");
}

/* stream:rows(profile, list, formats [, options]) -> function (see the top) */
static int prepare_rows(lua_State *L) {
  gp_stream *s = gp_check_stream(L, ARG_STREAM);
  const gp_profile *profile = gp_check_profile(L, ARG_PROFILE);
  const row_list *list = check_list(L);
  if (list->order == gp_order_lines) gp_check_lines(L, &profile->graph);
  lua_settop(L, ARG_OPTIONS);
  check_options(L);
  row_writer *w = lua_newuserdatauv(L, sizeof *w, WRITER_USER_VALUES);
  *w = (row_writer){
      .stream = s, .profile = lua_touserdata(L, ARG_PROFILE), .list = list};
  luaL_setmetatable(L, GP_ROW_WRITER);
  read_labels(L, w);
  read_paint(L, w);
  read_values(L);
  read_formats(L, w);
  lua_pushvalue(L, ROW_WRITER);
  lua_pushvalue(L, ARG_STREAM);
  lua_pushvalue(L, ARG_PROFILE);
  lua_pushcclosure(L, write_rows, 3);
  return 1;
}

void gp_define_rows(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"rows", prepare_rows}, {NULL, NULL}};
  luaL_newmetatable(L, GP_ROW_WRITER);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  gp_define_methods(L, GP_STREAM, methods);
}
