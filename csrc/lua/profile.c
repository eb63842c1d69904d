/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile for Lua. */
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/profile.h"
#include "lua/selection.h"
#include "lua/symbols.h"

static gp_profile_box *check_box(lua_State *L, int index) {
  return luaL_checkudata(L, index, GP_PROFILE);
}

gp_profile *gp_open_profile(lua_State *L, const gp_profile_box *box) {
  if (!box->profile) luaL_error(L, "profile is closed");
  if (!box->image->image) luaL_error(L, "the profile's image is closed");
  return box->profile;
}

gp_profile *gp_check_profile(lua_State *L, int index) {
  return gp_open_profile(L, check_box(L, index));
}

static gp_profile_box *new_box(lua_State *L, const gp_symbols_box *symbols) {
  gp_profile_box *box = lua_newuserdatauv(L, sizeof *box, GP_PROFILE_VALUES);
  box->profile = NULL;
  box->image = symbols->image;
  luaL_setmetatable(L, GP_PROFILE);
  lua_getiuservalue(L, 1, 1);
  lua_setiuservalue(L, -2, GP_PROFILE_IMAGE);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, GP_PROFILE_DATA);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, GP_PROFILE_SYMBOLS);
  gp_push_weak_table(L);
  lua_setiuservalue(L, -2, GP_PROFILE_OBJECTS);
  gp_push_weak_table(L);
  lua_setiuservalue(L, -2, GP_PROFILE_ARCS);
  return box;
}

/* profile(symbols, data, options [, selections [, opcodes]]) -> profile, or nil and a
 * message; `opcodes`, the value of gprof.opcodes, has calls found in the code */
static int new_profile(lua_State *L) {
  const gp_symbols_box *symbols = gp_check_symbols(L, 1);
  const gp_data *data = gp_check_data(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 5);
  if (!lua_isnil(L, 5)) luaL_checktype(L, 5, LUA_TLIGHTUSERDATA);
  gp_error error = {""};
  gp_profile_options options = {
      .opcodes = lua_touserdata(L, 5),
      .selections = gp_push_selections(L, 4, symbols->symtab.count),
  };
  gp_profile_box *box = new_box(L, symbols);
  box->profile = gp_profile_build(symbols->image->image, &symbols->symtab, data,
                                  &options, &error);
  if (box->profile) return 1;
  lua_getiuservalue(L, 1, 1);
  lua_getiuservalue(L, -1, 1);  /* the image's path */
  return gp_push_failure(L, lua_tostring(L, -1), &error);
}

static int close_profile(lua_State *L) {
  gp_profile_box *box = check_box(L, 1);
  gp_profile_free(box->profile);
  box->profile = NULL;
  return 0;
}

static int describe(lua_State *L) {
  const gp_profile_box *box = check_box(L, 1);
  if (!box->profile) {
    lua_pushliteral(L, "profile (closed)");
    return 1;
  }
  const gp_callgraph *graph = &box->profile->graph;
  lua_pushfstring(L, "profile: %d function%s, %d arc%s, %d cycle%s",
                  (int)graph->functions, gp_plural(graph->functions), (int)graph->arcs,
                  gp_plural(graph->arcs), (int)graph->cycles, gp_plural(graph->cycles));
  return 1;
}

static void push_number(lua_State *L, bool known, double value) {
  if (known)
    lua_pushnumber(L, value);
  else
    lua_pushnil(L);
}

/* profile:error_of(time) -> how far a time may be off by chance, or nil */
static int error_of(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  double rate = profile->samples.rate, time = luaL_checknumber(L, 2);
  luaL_argcheck(L, time >= 0, 2, "a time is not negative");
  push_number(L, rate != 0, gp_profile_error(profile, time * rate));
  return 1;
}

/* --- fields ---------------------------------------------------------------- */

static const gp_profile *opened(lua_State *L, const void *object) {
  return gp_open_profile(L, object);
}

static void push_rate(lua_State *L, const void *object) {
  double rate = opened(L, object)->samples.rate;
  push_number(L, rate != 0, rate);
}

static void push_unit(lua_State *L, const void *object) {
  const gp_samples *samples = &opened(L, object)->samples;
  lua_pushstring(L, samples->rate != 0 ? samples->dimension : NULL);
}

static void push_abbreviation(lua_State *L, const void *object) {
  const gp_samples *samples = &opened(L, object)->samples;
  if (samples->rate != 0)
    lua_pushlstring(L, &samples->abbreviation, samples->abbreviation ? 1 : 0);
  else
    lua_pushnil(L);
}

static void push_total_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, opened(L, object)->samples.total);
}

static void push_sampled_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, opened(L, object)->samples.counted);
}

static void push_met_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, opened(L, object)->samples.assigned);
}

static void push_graph_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, opened(L, object)->graph.total);
}

static void push_total(lua_State *L, const void *object) {
  const gp_samples *samples = &opened(L, object)->samples;
  push_number(L, samples->rate != 0, samples->total / samples->rate);
}

static void push_total_error(lua_State *L, const void *object) {
  const gp_profile *profile = opened(L, object);
  const gp_samples *samples = &profile->samples;
  push_number(L, samples->rate != 0, gp_profile_error(profile, samples->total));
}

static void push_uncovered(lua_State *L, const void *object) {
  const gp_profile *profile = opened(L, object);
  push_number(L, profile->uncovered.known,
              gp_profile_seconds(profile, profile->uncovered.ticks));
}

static void push_bin_size(lua_State *L, const void *object) {
  const gp_samples *samples = &opened(L, object)->samples;
  push_number(L, samples->rate != 0, samples->scale * 2);
}

static void push_arc_count(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)opened(L, object)->graph.arcs);
}

static void push_by_line(lua_State *L, const void *object) {
  lua_pushboolean(L, opened(L, object)->symtab->lines != NULL);
}

static void push_foreign(lua_State *L, const void *object) {
  const gp_profile *profile = opened(L, object);
  bool recorded = profile->samples.counted > 0 || profile->arcs_read > 0;
  bool met = profile->samples.assigned > 0 || profile->arcs_met > 0;
  lua_pushboolean(L, recorded && !met);
}

static void push_recorded_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, opened(L, object)->samples.counted);
}

static void push_unknown_ticks(lua_State *L, const void *object) {
  const gp_samples *samples = &opened(L, object)->samples;
  double unknown = samples->counted - samples->assigned;
  lua_pushnumber(L, unknown > 0 ? unknown : 0);
}

/* Quotients are rounded: that alone makes no whole sample unknown. */
static void push_odd(lua_State *L, const void *object) {
  const gp_profile *profile = opened(L, object);
  const gp_samples *samples = &profile->samples;
  double unknown = samples->counted - samples->assigned;
  bool lacks = samples->counted == 0 || profile->arcs_read == 0;
  lua_pushboolean(L, samples->rate != 0 && (lacks || unknown >= 1));
}

static void push_outside(lua_State *L, const void *object) {
  uint32_t outside = opened(L, object)->symtab->outside;
  if (outside != GP_NONE)
    lua_pushinteger(L, (lua_Integer)outside + 1);
  else
    lua_pushnil(L);
}

static void push_image(lua_State *L, const void *object) {
  (void)object;
  lua_getiuservalue(L, 1, GP_PROFILE_IMAGE);
}

static void push_data(lua_State *L, const void *object) {
  (void)object;
  lua_getiuservalue(L, 1, GP_PROFILE_DATA);
}

static void push_symbols(lua_State *L, const void *object) {
  (void)object;
  lua_getiuservalue(L, 1, GP_PROFILE_SYMBOLS);
}

static void push_map_files(lua_State *L, const void *object) {
  push_symbols(L, object);
  lua_getfield(L, -1, "map_files");
}

void gp_define_profile(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", close_profile},
                                  {"__close", close_profile},
                                  {"__tostring", describe},
                                  {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"close", close_profile}, {"error_of", error_of}, {NULL, NULL}};
  static const gp_object_field fields[] = {
      {"rate", push_rate},                /* ticks a second, or nil */
      {"unit", push_unit},                /* "seconds", or nil */
      {"abbreviation", push_abbreviation},/* "s"; may be empty; or nil */
      {"total", push_total},              /* seconds sampled, or nil */
      {"total_error", push_total_error},  /* how far that may be off by chance, or nil */
      {"total_ticks", push_total_ticks},
      {"sampled_ticks", push_sampled_ticks},  /* in all histograms, */
      {"met_ticks", push_met_ticks},      /* of which so many met functions */
      {"graph_ticks", push_graph_ticks},  /* ticks that count in the call graph */
      {"uncovered", push_uncovered},      /* of it, seconds beyond symbols, or nil */
      {"bin_size", push_bin_size},        /* bytes of code a bin covers, or nil */
      {"arc_count", push_arc_count},      /* arcs of the call graph */
      {"by_line", push_by_line},          /* lines have symbols of their own */
      {"foreign", push_foreign},          /* nothing recorded meets any symbol */
      {"recorded_ticks", push_recorded_ticks},/* of whatever code */
      {"unknown_ticks", push_unknown_ticks},  /* in code of no symbol */
      {"odd", push_odd},                  /* nothing was sampled, or no call recorded, or
                                             samples are in code of no symbol */
      {"outside", push_outside},          /* the number of <outside>, or nil */
      {"image", push_image},
      {"data", push_data},
      {"symbols", push_symbols},
      {"map_files", push_map_files},      /* object files that a map names, or nil */
      {NULL, NULL}};
  static const luaL_Reg module[] = {{"profile", new_profile}, {NULL, NULL}};
  gp_define_object(L, GP_PROFILE, gp_get_field, meta, methods);
  gp_define_fields(L, fields);
  lua_setfield(L, -2, "profile_methods");  /* the Lua layer adds to them */
  luaL_setfuncs(L, module, 0);
}
