/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared code of the report writers flat.c, entries.c and index.c.
 *
 * The core writes the rows of large reports. A writer is a function (stream, profile,
 * look): it chooses the rows and their values. The look is a Lua table of formats and
 * labels that determines how rows are printed. A writer checks for each row that the
 * profile is still open, because the sink of the stream may close it.
 */
#ifndef GP_LUA_REPORT_H
#define GP_LUA_REPORT_H

#include "lua/stream.h"

/* Stack indices: the arguments, look.paint, the last format that look.paint returned, a
 * list of rows. Fields of the look follow, from GP_REPORT_OWN on. */
enum { GP_REPORT_STREAM = 1, GP_REPORT_PROFILE, GP_REPORT_LOOK, GP_REPORT_PAINT,
       GP_REPORT_PAINTED, GP_REPORT_ROWS, GP_REPORT_OWN };

/* A report being written. */
typedef struct gp_report {
  lua_State *L;
  gp_stream *s;
  const gp_profile_box *box;
  gp_rows *rows;
  bool painted;           /* look.paint is set */
  bool unused;            /* look.unused: include functions without calls and time */
  size_t top;             /* look.top: largest number of rows or entries; SIZE_MAX: no
                             limit */
} gp_report;

/* Begins a report: checks the arguments and fills the stack. look.paint, if not nil,
 * colours rows: paint(format, percent, used, primary) returns the coloured format; see
 * gp_shade. */
gp_report gp_open_report(lua_State *L);

/* Pushes a field of the look; a Lua error if the field is not a string. */
void gp_push_look(const gp_report *r, const char *name);

/* Pushes a field of the look and returns it; a Lua error if the field does not hold
 * labels of this profile. */
const gp_labels *gp_push_look_labels(const gp_report *r, const char *name);

/* Whether a node has an entry in the call graph. In a profile by line, only the first
 * line of a function has one; other lines and cycles have none. */
bool gp_report_has_entry(const gp_report *r, const gp_callgraph *graph, uint32_t node);

/* Returns the profile; a Lua error if it was closed. */
const gp_profile *gp_report_profile(const gp_report *r);

/* Converts ticks to the profile's unit; 0 without a histogram. */
double gp_report_seconds(const gp_report *r, double ticks);

/* Returns a bound of a node's time with callees, from a column of gp_time_bounds, in the
 * profile's unit; 0 if the column is NULL. */
gp_field_value gp_report_bound(const gp_report *r, const double *bound, uint32_t node);

/* Returns "?" if the bounds of a node's time with callees are further apart than a tenth
 * of the run, otherwise a blank. */
gp_field_value gp_report_bounds_mark(const gp_report *r, uint32_t node);

/* Returns the label of a node as a value; see gp_label_of_node. Can run Lua code, which
 * may close the profile. */
gp_field_value gp_report_label(const gp_report *r, const gp_labels *set, uint32_t node,
                               gp_label *label);

/* The properties of a row that determine its colour. */
typedef struct gp_shade {
  double percent;         /* share of the total time */
  bool used;              /* has calls or time */
  bool primary;           /* the primary line of a call graph entry */
} gp_shade;

/* Writes a row of values in the format at stack index `format`, coloured by look.paint.
 * Labels among the values must be from `set`. */
void gp_write_painted(const gp_report *r, int format, const gp_shade *shade,
                      const gp_field_value *values, int count, const gp_labels *set);

#endif
