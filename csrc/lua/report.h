/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the writers of reports share: flat.c, entries.c, index.c.
 *
 * Most of a large report are rows of one kind. Which rows there are, and what is in them,
 * is decided by a writer; what they look like is Lua's, a table of formats: the look. A
 * writer is a function of a stream, a profile and the look. It looks at the profile anew
 * for each row: the sink of the stream may have closed it.
 */
#ifndef GP_LUA_REPORT_H
#define GP_LUA_REPORT_H

#include "lua/stream.h"

/* Stack indices: the arguments, what colours rows, the last format that it coloured, and
 * room for rows. What a writer takes from the look comes behind. */
enum { GP_REPORT_STREAM = 1, GP_REPORT_PROFILE, GP_REPORT_LOOK, GP_REPORT_PAINT,
       GP_REPORT_PAINTED, GP_REPORT_ROWS, GP_REPORT_OWN };

/* A report that is being written. */
typedef struct gp_report {
  lua_State *L;
  gp_stream *s;
  const gp_profile_box *box;
  gp_rows *rows;
  bool unused;            /* look.unused: of what nothing was seen, too */
  size_t top;             /* look.top: how many rows or entries there are at most */
} gp_report;

/* Checks the arguments. look.paint, if there are colours, is a function of a format, a
 * percentage of all time, whether anything was seen of what the row tells of, and whether
 * others are gathered around it; it returns another format. */
gp_report gp_open_report(lua_State *L);

/* Push what is in the look: a string; labels. Anything else is a Lua error. */
void gp_push_look(const gp_report *r, const char *name);
const gp_labels *gp_push_look_labels(const gp_report *r, const char *name);

/* Whether a node has an entry in the call graph. In a profile by line there are none of
 * cycles: lines are no functions that could be in one. */
bool gp_report_has_entry(const gp_report *r, const gp_callgraph *graph, uint32_t node);

/* The profile; a Lua error if it was closed. */
const gp_profile *gp_report_profile(const gp_report *r);

/* Ticks in the profile's unit; 0 where nothing was sampled. */
double gp_report_seconds(const gp_report *r, double ticks);

/* The label of a node as a value. */
gp_field_value gp_report_label(const gp_report *r, const gp_labels *set, uint32_t node,
                               gp_label *made);

/* What colours go by. */
typedef struct gp_shade {
  double percent;
  bool used, primary;
} gp_shade;

/* Writes values, among which there may be labels of `set`,
 * by the format at a stack index. */
void gp_write_painted(const gp_report *r, int format, const gp_shade *by,
                      const gp_field_value *values, int count, const gp_labels *set);

#endif
