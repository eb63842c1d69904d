/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams, which reports write to: rows of values in printf-like formats; see stream.c.
 */
#ifndef GP_LUA_STREAM_H
#define GP_LUA_STREAM_H

#include <string.h>

#include "base/format.h"
#include "lua/object.h"

#define GP_STREAM "gprof.stream"

/* Sizes in bytes: of the buffer; of the space that is left in it when a row begins, and
 * after each string of the row. */
#define GP_STREAM_ROOM ((size_t)65536)
#define GP_ROW_ROOM ((size_t)16384)

typedef struct gp_stream {
  size_t used;            /* bytes in the buffer */
  size_t row;             /* where the current row begins in the buffer */
  size_t passed;          /* bytes passed to the sink before */
  bool ended;
  struct gp_format_cache *cache;
  char text[GP_STREAM_ROOM];  /* the buffer */
} gp_stream;

/* Returns the stream at stack index `index`; a Lua error if it has ended or is of another
 * type. */
gp_stream *gp_check_stream(lua_State *L, int index);

/* Most literal texts of formats are at most this long. They are copied in full length,
 * because the compiler turns a memcpy of constant length into a few instructions. */
enum { GP_SHORT_TEXT = 32 };

typedef struct gp_parsed_piece {
  gp_piece piece;
  bool is_short;
  char text[GP_SHORT_TEXT];  /* the literal text, if it is short */
} gp_parsed_piece;

/* Returns the format at a stack index; a Lua error if it contains zero bytes. */
const char *gp_format_text(lua_State *L, int index, size_t *length);

/* Parses the piece of a format at `p`. Returns the start of the next piece; a Lua error
 * for an invalid conversion. */
const char *gp_parse_piece(lua_State *L, const char *p, gp_parsed_piece *parsed);

/* Puts the literal text of a piece at `out`. Returns one past its end. */
static inline char *gp_put_literal(char *out, const gp_parsed_piece *parsed) {
  if (parsed->is_short)
    memcpy(out, parsed->text, GP_SHORT_TEXT);
  else
    memcpy(out, parsed->piece.text, parsed->piece.length);
  return out + parsed->piece.length;
}

/* In the following functions, `index` is the stack index of the stream. If the buffer is
 * full, they call the sink, which can run any Lua code. */

/* Begins a row: makes room for its literal text and numbers. */
void gp_begin_row(lua_State *L, int index, gp_stream *s);

/* Adds a string, and makes room for the rest of the row. */
void gp_add_string(lua_State *L, int index, gp_stream *s, const char *text,
                   size_t length, gp_column_style style);

/* Adds the value at stack index `place`, converted as a piece of the format asks. Returns
 * what is wrong with the value; NULL if it was added. */
const char *gp_add_value(lua_State *L, int index, gp_stream *s, const gp_piece *piece,
                         int place);

#endif
