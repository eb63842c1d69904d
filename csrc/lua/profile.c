/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles for Lua. */
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/debug_file.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/profile.h"
#include "lua/selection.h"
#include "lua/spread.h"
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

/* Pushes a column with true for each static function with time or calls. */
static bool *push_used_static(lua_State *L, const gp_profile_box *box,
                              const gp_symtab *symtab) {
  bool *used = lua_newuserdatauv(L, symtab->count + 1, 0);
  const gp_callgraph *graph = &gp_open_profile(L, box)->graph;
  for (uint32_t id = 0; id < graph->functions; id++)
    used[id] = symtab->flags[id] & GP_STATIC && gp_callgraph_is_used(graph, id);
  return used;
}

const gp_symbol_sources *gp_static_files(lua_State *L, gp_profile_box *box,
                                         gp_symbols_box *symbols, uint32_t function) {
  gp_error error = {""};
  const gp_symtab *symtab = &symbols->symtab;
  const gp_callgraph *graph = &gp_open_profile(L, box)->graph;
  if (symbols->sourced || !gp_callgraph_is_used(graph, function))
    return gp_sources_of_symbols(L, symbols);
  if (box->has_files) return &box->files;
  /* can run Lua code, which may close the profile, or come here itself */
  gp_find_debug_files(L, box->image, !symtab->policy->debug_files);
  const bool *used = push_used_static(L, box, symtab);
  if (!box->has_files &&
      !gp_symbol_sources_read(&box->files, symtab, box->image->image, used, &error))
    gp_raise_no_memory(L);
  box->has_files = true;
  lua_pop(L, 1);
  return &box->files;
}

static gp_profile_box *new_box(lua_State *L, const gp_symbols_box *symbols) {
  gp_profile_box *box = lua_newuserdatauv(L, sizeof *box, GP_PROFILE_VALUES);
  box->profile = NULL;
  box->image = symbols->image;
  box->has_files = false;
  box->by_name = box->by_count = (gp_rows){.row = NULL};
  luaL_setmetatable(L, GP_PROFILE);
  lua_getiuservalue(L, 1, GP_SYMBOLS_IMAGE);
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

/* profile(symbols, data, options [, selections [, opcodes]]) -> profile; or nil and a
 * message. `opcodes`, the value of the module gprof.opcodes, is required by the options
 * `static_call_graph`, `idle_blocks` and `bounds`. */
static int new_profile(lua_State *L) {
  const gp_symbols_box *symbols = gp_check_symbols(L, 1);
  gp_check_data(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 5);
  if (!lua_isnil(L, 5)) luaL_checktype(L, 5, LUA_TLIGHTUSERDATA);
  gp_error error = {""};
  gp_profile_options options = {
      .estimated = gp_flag_option(L, 3, "assume_proportional"),
      .static_calls = lua_touserdata(L, 5) && gp_flag_option(L, 3, "static_call_graph"),
      .idle_blocks = lua_touserdata(L, 5) && gp_flag_option(L, 3, "idle_blocks"),
      .time_bounds = lua_touserdata(L, 5) && gp_flag_option(L, 3, "bounds"),
      .opcodes = lua_touserdata(L, 5),
      .selections = gp_push_selections(L, 4, symbols->symtab.count),
  };
  gp_profile_box *box = new_box(L, symbols);
  gp_check_symbols(L, 1);  /* reading the options can run Lua code */
  gp_data *data = gp_check_data(L, 2);
  gp_data_forget_index(data);  /* rarely are there more files to come */
  box->profile = gp_profile_build(symbols->image->image, &symbols->symtab, data,
                                  &options, &error);
  if (box->profile) return 1;
  lua_getiuservalue(L, 1, GP_SYMBOLS_IMAGE);
  lua_getiuservalue(L, -1, GP_IMAGE_PATH);
  return gp_push_failure(L, lua_tostring(L, -1), &error);
}

static int close_profile(lua_State *L) {
  gp_profile_box *box = check_box(L, 1);
  gp_profile_free(box->profile);
  box->profile = NULL;
  if (box->has_files) gp_symbol_sources_free(&box->files);
  box->has_files = false;
  gp_rows_free(&box->by_name);
  gp_rows_free(&box->by_count);
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

/* By default, several threads are used from this number of functions on. Demangling
 * that many C++ names takes 50 ms, and each thread takes half a megabyte. */
enum { MANY_NAMES = 16384, DEFAULT_THREADS = 8 };

/* Returns the number of threads for `count` names. */
static size_t choose_threads(lua_State *L, int index, size_t count) {
  if (!lua_isnil(L, index)) return (size_t)luaL_checkinteger(L, index);
  if (count < MANY_NAMES) return 1;
  size_t processors = gp_processors();
  return processors < DEFAULT_THREADS ? processors : DEFAULT_THREADS;
}

/* demangle_ahead(profile, threads): demangles the names of functions with time or calls.
 * `threads` may be nil. Does nothing for one thread. The names that reports show are the
 * same as without this call. */
static int demangle_ahead(lua_State *L) {
  const gp_callgraph *graph = &gp_check_profile(L, 1)->graph;
  size_t count = 0;
  lua_settop(L, 2);
  size_t threads = choose_threads(L, 2, graph->functions);
  lua_getiuservalue(L, 1, GP_PROFILE_SYMBOLS);
  gp_symbols_box *symbols = gp_check_symbols(L, -1);
  if (threads < 2 || !symbols->demangled) return 0;
  uint32_t *used = lua_newuserdatauv(L, graph->functions * sizeof *used, 0);
  graph = &gp_check_profile(L, 1)->graph;  /* allocation can run a finalizer */
  for (uint32_t id = 0; id < graph->functions; id++)
    if (gp_callgraph_is_used(graph, id)) used[count++] = id;
  threads = choose_threads(L, 2, count);
  if (threads > count) threads = count;
  if (threads > 1)
    gp_demangled_ahead(&symbols->shown, symbols->image->image, &symbols->symtab, used,
                       count, threads);
  return 0;
}

/* profile:error_of(time) -> sampling error of a time, in the profile's unit; nil without
 * a histogram */
static int error_of(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  double rate = profile->samples.rate, time = luaL_checknumber(L, 2);
  luaL_argcheck(L, !(time < 0), 2, "negative time");
  luaL_argcheck(L, isfinite(time * rate), 2, "finite time expected");
  if (rate != 0)
    lua_pushnumber(L, gp_profile_error(profile, time * rate));
  else
    lua_pushnil(L);
  return 1;
}

/* unmatched_arcs(profile, side) -> numbers of the pairs in the list of arcs (see
 * lua/selection.c) of `side`, "include" or "exclude", that match no call */
static int unmatched_arcs(lua_State *L) {
  static const char *const sides[] = {"include", "exclude", NULL};
  bool include = luaL_checkoption(L, 2, NULL, sides) == 0;
  lua_Integer found = 0;
  lua_newtable(L);  /* first: allocation can run a finalizer that closes the profile */
  const gp_arc_selection *arcs = &gp_check_profile(L, 1)->selections.arcs;
  const gp_arc_table *table = include ? &arcs->include : &arcs->exclude;
  for (size_t i = 0; i < table->count; i++) {
    if (table->entries[i].matched) continue;
    lua_pushinteger(L, (lua_Integer)i + 1);
    lua_rawseti(L, -2, ++found);
  }
  return 1;
}

/* bounds_problem(profile) -> why the machine code or the data do not permit bounds of
 * inclusive times; nil if they do, or if bounds were not requested */
static int bounds_problem(lua_State *L) {
  lua_pushstring(L, gp_check_profile(L, 1)->bounds.problem);
  return 1;
}

/* find_limits(profile [, opcodes]) makes the fields `least_ticks` and `most_ticks` of
 * functions and cycles known, with the machine code if gprof.opcodes is given */
static int find_limits(lua_State *L) {
  gp_profile *profile = gp_check_profile(L, 1);
  gp_error error = {""};
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, GP_PROFILE_DATA);
  if (gp_profile_find_limits(profile, gp_check_data(L, 3), lua_touserdata(L, 2), &error))
    return 0;
  return luaL_error(L, "%s", error.text);
}

/* --- fields ---------------------------------------------------------------- */

static const gp_profile *opened(const gp_part *p) {
  return gp_open_profile(p->L, p->owner);
}

static const gp_symtab_lines *lines_of(const gp_part *p) {
  return opened(p)->symtab->lines;
}

static gp_field_value known_number(bool known, double value) {
  return known ? gp_number_value(value) : gp_no_value;
}

/* nil without a histogram */
static gp_field_value of_samples(const gp_part *p, gp_field_value value) {
  return opened(p)->samples.rate != 0 ? value : gp_no_value;
}

GP_GETTER(rate, of_samples(p, gp_number_value(opened(p)->samples.rate)))
GP_GETTER(unit, of_samples(p, gp_text_value(opened(p)->samples.dimension)))
GP_GETTER(abbreviation, of_samples(p, gp_letter_value(opened(p)->samples.abbreviation)))
GP_GETTER(total, of_samples(p, gp_number_value(gp_profile_seconds(
                                   opened(p), opened(p)->samples.total))))
GP_GETTER(total_error, of_samples(p, gp_number_value(gp_profile_error(
                                         opened(p), opened(p)->samples.total))))
GP_GETTER(bin_size, of_samples(p, gp_number_value(opened(p)->samples.scale * 2)))
GP_GETTER(total_ticks, gp_number_value(opened(p)->samples.total))
GP_GETTER(ticks_per_sample, gp_number_value(opened(p)->ticks_per_sample))
/* Processor time and clocks are known if the recorder has written them. */
GP_GETTER(cpu, known_number(opened(p)->cpu > 0, opened(p)->cpu))
GP_GETTER(coverage, gp_number_value(opened(p)->coverage))
GP_GETTER(recorder_share, gp_number_value(opened(p)->recorder))
GP_GETTER(clocks, gp_integer_value(opened(p)->clocks))
GP_GETTER(sampled_ticks, gp_number_value(opened(p)->samples.counted))
GP_GETTER(met_ticks, gp_number_value(opened(p)->samples.assigned))
GP_GETTER(graph_ticks, gp_number_value(opened(p)->graph.total))

GP_GETTER(uncovered,
          known_number(opened(p)->unattributed.known,
                       gp_profile_seconds(opened(p), opened(p)->unattributed.ticks)))
GP_GETTER(arc_count, gp_integer_value(opened(p)->graph.arcs))
GP_GETTER(by_line, gp_boolean_value(lines_of(p) != NULL))
GP_GETTER(gnu_compat, gp_boolean_value(!opened(p)->symtab->policy->selected_total))

static gp_field_value get_foreign(const gp_part *p) {
  const gp_profile *profile = opened(p);
  bool recorded = profile->samples.counted > 0 || profile->arcs_read > 0;
  bool met = profile->samples.assigned > 0 || profile->arcs_matched > 0;
  return gp_boolean_value(recorded && !met);
}

GP_GETTER(recorded_ticks, gp_number_value(opened(p)->samples.counted))

static gp_field_value get_unknown_ticks(const gp_part *p) {
  const gp_samples *samples = &opened(p)->samples;
  double unknown = samples->counted - samples->assigned;
  return gp_number_value(unknown > 0 ? unknown : 0);
}

/* Ignores a difference of less than one tick between `counted` and `assigned`, which are
 * sums of rounded fractions. */
static gp_field_value get_odd(const gp_part *p) {
  const gp_profile *profile = opened(p);
  const gp_samples *samples = &profile->samples;
  double unknown = samples->counted - samples->assigned;
  bool lacks = samples->counted == 0 || profile->arcs_read == 0;
  return gp_boolean_value(samples->rate != 0 && (lacks || unknown >= 1));
}

GP_GETTER(has_inlines, gp_boolean_value(opened(p)->symtab->inlining &&
                                        opened(p)->symtab->inlining->map.count > 0))
GP_GETTER(seeks_frames, gp_boolean_value(lines_of(p) && lines_of(p)->chained))
GP_GETTER(has_frames, gp_boolean_value(lines_of(p) && lines_of(p)->chains.count > 0))
GP_GETTER(has_libraries, gp_boolean_value(opened(p)->symtab->objects != NULL))
GP_GETTER(has_bounds, gp_boolean_value(opened(p)->bounds.low != NULL))
GP_GETTER(exact, gp_boolean_value(opened(p)->measured))
GP_GETTER(path_share, opened(p)->path_share >= 0 ? gp_number_value(opened(p)->path_share)
                                               : gp_no_value)
GP_GETTER(has_call_paths, gp_boolean_value(opened(p)->has_paths))

static gp_field_value get_outside(const gp_part *p) {
  uint32_t outside = opened(p)->symtab->outside;
  return outside != GP_NONE ? gp_integer_value((uint64_t)outside + 1) : gp_no_value;
}

/* nil without a spread */
static gp_field_value get_spread(const gp_part *p) {
  opened(p);
  lua_getiuservalue(p->L, 1, GP_PROFILE_SPREAD);
  const gp_spread_box *box = gp_test_spread(p->L, -1);
  lua_pop(p->L, 1);  /* the profile keeps it alive */
  if (!box) return gp_no_value;
  gp_push_total_spread(p->L, &box->spread);
  return gp_pushed_value;
}

GP_GETTER(image, gp_user_value(p, GP_PROFILE_IMAGE))
GP_GETTER(data, gp_user_value(p, GP_PROFILE_DATA))
GP_GETTER(symbols, gp_user_value(p, GP_PROFILE_SYMBOLS))

static gp_field_value get_map_files(const gp_part *p) {
  lua_getiuservalue(p->L, p->whole, GP_PROFILE_SYMBOLS);
  lua_getfield(p->L, -1, "map_files");
  return gp_pushed_value;
}

void gp_define_profile(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", close_profile},
                                  {"__close", close_profile},
                                  {"__tostring", describe},
                                  {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"close", close_profile}, {"error_of", error_of}, {NULL, NULL}};
  static const gp_field fields[] = {
      {"rate", get_rate},                /* ticks per second, or nil */
      {"unit", get_unit},                /* "seconds", or nil */
      {"abbreviation", get_abbreviation},  /* "s"; may be empty; or nil */
      {"total", get_total},              /* seconds sampled, or nil */
      {"total_error", get_total_error},  /* sampling error of total, or nil */
      {"total_ticks", get_total_ticks},
      {"ticks_per_sample", get_ticks_per_sample},  /* the mean */
      {"cpu", get_cpu},                  /* seconds of processor time, or nil */
      {"coverage", get_coverage},        /* the part of it that was sampled */
      {"recorder_share", get_recorder_share},  /* of all samples */
      {"clocks", get_clocks},            /* flags: see gp_call_paths */
      {"sampled_ticks", get_sampled_ticks},  /* ticks in all histograms */
      {"met_ticks", get_met_ticks},      /* ticks in the code of functions */
      {"graph_ticks", get_graph_ticks},  /* ticks that count in the call graph */
      {"uncovered", get_uncovered},      /* seconds outside symbols, or nil */
      {"bin_size", get_bin_size},        /* bytes of code per bin, or nil */
      {"arc_count", get_arc_count},      /* arcs of the call graph */
      {"by_line", get_by_line},          /* lines have symbols of their own */
      {"gnu_compat", get_gnu_compat},    /* computed as by GNU gprof */
      {"exact", get_exact},              /* the time of arcs is measured */
      {"has_call_paths", get_has_call_paths},  /* maybe not of all samples */
      {"path_share", get_path_share},    /* samples on known stacks, or nil */
      {"foreign", get_foreign},          /* no recorded address is in a symbol */
      {"recorded_ticks", get_recorded_ticks},  /* ticks in any code */
      {"unknown_ticks", get_unknown_ticks},  /* ticks in code outside symbols */
      {"odd", get_odd},                  /* no samples, no calls, or samples in code
                                             outside symbols */
      {"has_libraries", get_has_libraries},  /* has functions of shared libraries */
      {"has_inlines", get_has_inlines},  /* inlined functions are functions */
      {"has_frames", get_has_frames},    /* by line: chains of inlined functions */
      {"seeks_frames", get_seeks_frames},  /* it has frames if they are known */
      {"has_bounds", get_has_bounds},    /* bounds of inclusive times are known */
      {"spread", get_spread},            /* how whole runs differ, or nil */
      {"outside", get_outside},          /* number of <outside>, or nil */
      {"image", get_image},
      {"data", get_data},
      {"symbols", get_symbols},
      {"map_files", get_map_files},      /* object files named in the map, or nil */
      {NULL, NULL}};
  static const luaL_Reg module[] = {
      {"profile", new_profile}, {"unmatched_arcs", unmatched_arcs},
      {"bounds_problem", bounds_problem}, {"demangle_ahead", demangle_ahead},
      {"find_limits", find_limits},
      {NULL, NULL}};
  gp_define_object(L, GP_PROFILE, gp_get_field, meta, methods, fields);
  lua_setfield(L, -2, "profile_methods");  /* the Lua layer adds methods */
  luaL_setfuncs(L, module, 0);
}
