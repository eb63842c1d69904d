/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams, which reports write to: rows of values in printf-like formats; see stream.c.
 */
#ifndef GP_LUA_STREAM_H
#define GP_LUA_STREAM_H

#include "lua/iteration.h"
#include "lua/labels.h"

typedef struct gp_stream gp_stream;

/* Returns the stream at stack index `index`; a Lua error if it has ended or is of another
 * type. */
gp_stream *gp_check_stream(lua_State *L, int index);

/* The values of a row: on the stack from index `first` on, or in `fields`. Fields can
 * point to strings of the core. Lua code that runs while the row is written may close
 * their owner, so each use checks first that the owner is open. */
typedef struct gp_row_values {
  int first;
  int count;
  const gp_field_value *fields;  /* NULL: the values are on the stack */
  const gp_iteration *iteration;  /* the iteration that returned `fields`, or NULL */
  int whole;                    /* stack index of the object iterated over */
  const gp_labels *labels;      /* the labels object of GP_FIELD_LABEL fields, or NULL */
} gp_row_values;

/* Writes a row in the format at stack index `format` to the stream at stack index
 * `index`. Returns the number of values used, or of all values if the format
 * uses positions (%2$d). */
int gp_write_row(lua_State *L, int index, gp_stream *s, int format,
                 const gp_row_values *r);

/* Writes text unchanged. */
void gp_write_bytes(lua_State *L, int index, gp_stream *s, const char *text,
                    size_t length);

/* Writes the string at stack index `string`. */
void gp_write_string(lua_State *L, int index, gp_stream *s, int string);

#endif
