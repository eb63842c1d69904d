/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spreads of sums, for Lua. */
#include "lua/spread.h"

#include <string.h>

#include "lua/archive.h"
#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/writer.h"

gp_spread_box *gp_test_spread(lua_State *L, int index) {
  gp_spread_box *box = luaL_testudata(L, index, GP_SPREAD);
  return box && box->open ? box : NULL;
}

gp_spread_box *gp_check_spread(lua_State *L, int index) {
  gp_spread_box *box = luaL_checkudata(L, index, GP_SPREAD);
  luaL_argcheck(L, box->open, index, "spread is closed");
  return box;
}

static int close_spread(lua_State *L) {
  gp_spread_box *box = luaL_checkudata(L, 1, GP_SPREAD);
  if (box->open) {
    gp_spread_free(&box->spread);
    gp_run_costs_free(&box->costs);
    gp_run_times_lose(&box->times);
  }
  box->open = false;
  return 0;
}

/* --- adding -------------------------------------------------------------------- */

gp_spread_adding gp_check_adding(lua_State *L, int index, const char *name) {
  gp_spread_adding adding = {NULL, name, false};
  if (lua_isnoneornil(L, index)) return adding;
  adding.box = gp_check_spread(L, index);
  return adding;
}

bool gp_check_run(void *into, const gp_data *run, gp_error *error) {
  gp_spread_adding *adding = into;
  gp_spread_box *box = adding->box;
  adding->is_sum =
      run->stats.histogram_records - run->stats.left_out > run->histogram_count;
  if (adding->is_sum) return true;
  return gp_run_costs_compute(&box->costs, run, error) &&
         gp_run_times_reserve(&box->times, &box->costs.run, error) &&
         gp_spread_accepts(&box->spread, &box->costs.run, adding->name, error);
}

void gp_add_run(const gp_spread_adding *adding) {
  if (!adding->box || adding->is_sum) return;
  gp_spread_add(&adding->box->spread, &adding->box->costs.run);
  gp_run_times_add(&adding->box->times, &adding->box->costs.run);
}

/* spread:skip() -> spread. Counts a profile that cannot be split into runs. */
static int skip(lua_State *L) {
  gp_spread_box *box = gp_check_spread(L, 1);
  gp_error error = {""};
  if (!gp_spread_skip(&box->spread, 1, &error)) return gp_push_error(L, &error);
  gp_run_times_lose(&box->times);
  lua_settop(L, 1);
  return 1;
}

/* spread:fits(other) -> true; or nil and why the other spread cannot be added */
static int fits(lua_State *L) {
  const gp_spread_box *box = gp_check_spread(L, 1), *other = gp_check_spread(L, 2);
  gp_error error = {""};
  if (!gp_spread_fits(&box->spread, &other->spread, &error))
    return gp_push_error(L, &error);
  lua_pushboolean(L, true);
  return 1;
}

/* spread:merge(other) -> spread; or nil and a message. A failure leaves both
 * unchanged. */
static int merge(lua_State *L) {
  gp_spread_box *box = gp_check_spread(L, 1);
  const gp_spread_box *other = gp_check_spread(L, 2);
  gp_error error = {""};
  luaL_argcheck(L, other != box, 2, "another spread expected");
  if (!gp_run_times_reserve_all(&box->times, &other->times, &error) ||
      !gp_spread_merge(&box->spread, &other->spread, &error))
    return gp_push_error(L, &error);
  gp_run_times_append(&box->times, &other->times);
  lua_settop(L, 1);
  return 1;
}

/* --- files --------------------------------------------------------------------- */

/* Reads a spread into an empty one; `between` processes, the times of single runs come
 * first. */
static int read_from(lua_State *L, bool between) {
  gp_spread_box *box = gp_check_spread(L, 1);
  const char *path = gp_check_input(L, 2);
  const gp_spread *old = &box->spread;
  luaL_argcheck(L, old->runs == 0 && old->skipped == 0 && old->name_count == 0, 1,
                "spread is not empty");
  gp_error error = {""};
  gp_reader reader;
  uint32_t id = 0;
  bool done = gp_open_input(L, 2, &reader, &error);
  if (done) {
    done = (!between ||
            gp_run_times_read(&box->times, &reader, old->count, &error)) &&
           gp_spread_read(&box->spread, &reader, &id, &error);
    gp_reader_close(&reader);
  }
  if (!done) {
    close_spread(L);
    return gp_push_failure(L, path, &error);
  }
  if (!between) gp_run_times_lose(&box->times);
  lua_pushinteger(L, id);
  return 1;
}

/* spread:read(path or file or archive) -> number in the header of the sum; or nil and a
 * message. The spread must be empty. A failure closes it. */
static int read_file(lua_State *L) { return read_from(L, false); }

/* spread:receive(file) -> number, or nil and a message, like spread:read; reads what
 * another process sends, with the times of single runs */
static int receive_file(lua_State *L) { return read_from(L, true); }

/* Writes a spread; `between` processes, the times of single runs come first. */
static bool put(const gp_spread_box *box, bool between, gp_writer *writer, uint32_t *id) {
  return (!between || gp_run_times_put(&box->times, writer)) &&
         gp_spread_put(&box->spread, writer, id);
}

static int write_to(lua_State *L, bool between) {
  const gp_spread_box *box = gp_check_spread(L, 1);
  gp_writer *writer = gp_test_writer(L, 2);
  gp_error error = {""};
  uint32_t id = 0;
  gp_writer own;  /* to an open file, from its current position */
  bool done = writer ? put(box, between, writer, &id)
              : gp_writer_share(&own, gp_check_writable(L, 2), &error) &&
                    gp_writer_close(&own, put(box, between, &own, &id));
  if (!done)
    return writer ? gp_push_writer_failure(L, 2)
                  : gp_push_failure(L, "open file", &error);
  lua_pushinteger(L, id);
  return 1;
}

/* spread:write(writer or file) -> number for the header of the sum; or nil and a
 * message */
static int write_file(lua_State *L) { return write_to(L, false); }

/* spread:send(file) -> number, or nil and a message, like spread:write; sends the times
 * of single runs, too, to another process */
static int send_file(lua_State *L) { return write_to(L, true); }

/* --- values -------------------------------------------------------------------- */

static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

/* Pushes a table about amounts: `mean`, `min`, `max`, `deviation`, `lost` and `ratio` (of
 * the greatest value to the mean), in units of 1 / `scale`; `sum` and `runs`; `who`. */
static void push_amounts(lua_State *L, const gp_spread *spread, const gp_amounts *a,
                         double scale) {
  double runs = (double)spread->runs, most = (double)a->most / scale;
  double mean = runs > 0 ? (double)a->sum / runs / scale : 0;
  lua_createtable(L, 0, 9);
  set_number(L, "sum", (double)a->sum / scale);
  set_number(L, "mean", mean);
  set_number(L, "min", (double)gp_amounts_min(a, spread->runs) / scale);
  set_number(L, "max", most);
  set_number(L, "lost", most > mean ? most - mean : 0);
  set_number(L, "deviation",
             runs > 0 ? gp_amounts_deviation(a, spread->runs) / scale : 0);
  if (mean > 0) set_number(L, "ratio", most > mean ? most / mean : 1);
  lua_pushinteger(L, (lua_Integer)a->runs);
  lua_setfield(L, -2, "runs");
  if (a->who == GP_NONE) return;
  lua_pushlstring(L, spread->names[a->who].text, spread->names[a->who].size);
  lua_setfield(L, -2, "who");
}

/* Pushes a table with the time, if it is known, and the calls. */
static void push_both(lua_State *L, const gp_spread *spread, const gp_amounts *time,
                      double scale, const gp_amounts *calls) {
  lua_createtable(L, 0, 4);
  if (spread->scale.bins > 0) {
    push_amounts(L, spread, time, scale);
    lua_setfield(L, -2, "self");
  }
  push_amounts(L, spread, calls, 1);
  lua_setfield(L, -2, "calls");
}

double gp_spread_units(const gp_spread *spread) {
  const gp_time_scale *scale = &spread->scale;
  return scale->bins > 0 ? (double)scale->units / (double)scale->bins * scale->rate : 1;
}

/* A function's table has the fields `self` (in seconds, nil without a histogram) and
 * `calls`; see push_amounts. */
void gp_push_spread(lua_State *L, const gp_spread *spread, uint64_t address) {
  double units = gp_spread_units(spread);
  uint32_t row = gp_spread_row(spread, address);
  if (row != GP_NONE)
    push_both(L, spread, &spread->time[row], units, &spread->calls[row]);
  else
    lua_pushnil(L);
}

/* The table of whole runs has the same fields, and the integers `runs` and `skipped`. */
void gp_push_total_spread(lua_State *L, const gp_spread *spread) {
  double rate = spread->scale.rate > 0 ? spread->scale.rate : 1;
  push_both(L, spread, &spread->ticks, rate, &spread->all_calls);
  lua_pushinteger(L, (lua_Integer)spread->runs);
  lua_setfield(L, -2, "runs");
  lua_pushinteger(L, (lua_Integer)spread->skipped);
  lua_setfield(L, -2, "skipped");
}

void gp_define_spread(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_spread}, {"__close", close_spread}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"skip", skip}, {"fits", fits}, {"merge", merge}, {"read", read_file},
      {"write", write_file}, {"receive", receive_file}, {"send", send_file},
      {NULL, NULL}};
  gp_define_object(L, GP_SPREAD, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
}
