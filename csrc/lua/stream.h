/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams for the binding: what reports write to, and rows of values that are set into
 * formats; see stream.c.
 */
#ifndef GP_LUA_STREAM_H
#define GP_LUA_STREAM_H

#include "lua/iteration.h"
#include "lua/labels.h"

typedef struct gp_stream gp_stream;

/* The stream at argument `index`; a Lua error if there is none, or if it has ended. */
gp_stream *gp_check_stream(lua_State *L, int index);

/* The values that are set into a format: those on the stack from index `first` on, or
 * `fields`. The latter may have text that is the core's: whether what it is of is open is
 * looked at before each, as whatever was called meanwhile may have closed it. */
typedef struct gp_row_values {
  int first;
  int count;
  const gp_field_value *fields;  /* NULL: they are on the stack */
  const gp_iteration *of;       /* what they are fields of, if anything, */
  int whole;                    /*   as parts of what is at this stack index */
  const gp_labels *names;       /* whose label is among them, if there is one */
} gp_row_values;

/* Writes a row by the format at stack index `format` to the stream at `index`. Returns
 * how many values were used, if they were in turn; else how many there are. */
int gp_write_row(lua_State *L, int index, gp_stream *s, int format,
                 const gp_row_values *r);

/* Writes text as it is. */
void gp_write_bytes(lua_State *L, int index, gp_stream *s, const char *text,
                    size_t length);

/* Writes the string at stack index `string`. */
void gp_write_string(lua_State *L, int index, gp_stream *s, int string);

#endif
