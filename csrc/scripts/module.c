/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The module gprof.hooks: records the Lua state that loads it. */
#include <dlfcn.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"
#include "bundle/bundle.h"
#include "scripts/bytecode.h"
#include "scripts/collector.h"
#include "scripts/continued.h"
#include "scripts/coroutines.h"
#include "scripts/program_hooks.h"
#include "scripts/recording.h"
#include "scripts/running_calls.h"
#include "scripts/save.h"
#include "scripts/signals.h"
#include "scripts/source.h"
#include "scripts/zones.h"

#define RECORDING "gprof.recording"

__attribute__((visibility("default"))) int luaopen_gprof_hooks(lua_State *L);

static scr_recording *check_recording(lua_State *L) {
  scr_recording **at = luaL_checkudata(L, 1, RECORDING);
  luaL_argcheck(L, *at, 1, "was finalized");
  return *at;
}

/* What the C recorder, if it has recorded C functions, does when a recording ends: it
 * continues with a new profile, stops, or waits for the recording to continue. */
enum after { GOES_ON, STOPS, WAITS };

static void end_c(scr_recording *r, enum after after) {
  if (!r->with_c) return;
  if (after == WAITS)
    scr_mixed_pause(r);
  else
    scr_mixed_end(r, after == GOES_ON);
}

static lua_State *main_of(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return main;
}

/* Sets the hook of a coroutine that has started a recording, and of the main one, which
 * nothing may resume later. */
static void set_hooks(lua_State *L, scr_recording *r) {
  lua_State *main = main_of(L);
  scr_set_hook(r, L);
  const bool is_wanted = r->events != 0 || r->period > 0;
  if (is_wanted && main && main != L) scr_give_hook(r, main);
}

/* Coroutines that have no stack yet keep the hook until its first event. */
static void remove_hooks(lua_State *L, const scr_recording *r) {
  lua_State *main = main_of(L);
  if (main && lua_gethook(main) == scr_hook) lua_sethook(main, NULL, 0, 0);
  for (size_t i = 0; r->events != 0 && i < r->stacks.size; i++) {
    const scr_stack *stack = &r->stacks.list[i];
    lua_State *co = (lua_State *)(uintptr_t)stack->thread;
    if (co && !stack->collected && lua_gethook(co) == scr_hook)
      lua_sethook(co, NULL, 0, 0);
  }
}

/* The clock of a forked child starts again: its time is its own. */
static uint64_t time_since_start(const scr_recording *r) {
  return scr_time_of(CLOCK_THREAD_CPUTIME_ID) - (getpid() == r->process ? r->cpu : 0);
}

static void end_recording(lua_State *L, scr_recording *r, enum after after) {
  if (scr_current != r && r->is_paused && after != WAITS) end_c(r, after);
  if (scr_current != r) return;
  r->active = false;
  scr_leave_signals(r);
  scr_stop_timer(r);
  end_c(r, after);
  r->cpu = time_since_start(r);
  r->ended = scr_time_of(CLOCK_REALTIME);
  scr_current = NULL;
  r->thread = NULL;
  scr_pause_zones(r);
  const lua_Hook hook = lua_gethook(r->running);
  const bool displaced = hook != scr_hook && (hook || r->events != 0);
  r->displaced = r->displaced || (displaced && hook);
  r->removed = r->removed || (displaced && !hook);
  if (!displaced) lua_sethook(r->running, NULL, 0, 0);
  remove_hooks(L, r);
  scr_set_ended(L, r);
  if (r->closures) scr_closures_free(r->closures, L);
  r->closures = NULL;
  r->sites = NULL;
}

/* new(most) -> recording. `most`: the number of calls with different paths that are told
 * apart */
static int new_recording(lua_State *L) {
  const lua_Integer most = luaL_checkinteger(L, 1);
  scr_recording **at = lua_newuserdatauv(L, sizeof *at, 0), *r;
  *at = r = calloc(1, sizeof *r);
  luaL_setmetatable(L, RECORDING);
  if (!r) return luaL_error(L, "not enough memory");
  r->hook = scr_hook;
  static const lua_CFunction own[SCR_OWN] = {scr_zone_begin, scr_zone_end, scr_zone_open,
                                             scr_zone_close};
  memcpy(r->own, own, sizeof own);
  if (!scr_paths_init(&r->paths, (size_t)most) || !scr_functions_init(&r->functions) ||
      !scr_stacks_init(&r->stacks))
    return luaL_error(L, "not enough memory");
  return 1;
}

static int fail_to_start(lua_State *L, const char *message) {
  luaL_pushfail(L);
  lua_pushstring(L, message);
  return 2;
}

/* Frees the recording of this thread if another thread has closed its state. */
static void drop_abandoned(void) {
  scr_recording *r = scr_current;
  if (!r || !__atomic_load_n(&r->abandoned, __ATOMIC_ACQUIRE)) return;
  scr_current = NULL;
  free(r);
}

static bool add_ticks(uintptr_t at, uint64_t ticks) {
  return !scr_current || !scr_current->active || scr_add_ticks(scr_current, at, ticks);
}

/* The processor time of former periods is added to that of this one. */
static void start_period(scr_recording *r) {
  r->stack = NULL;
  r->resumed = NULL;
  if (r->began == 0) r->began = scr_time_of(CLOCK_REALTIME);
  r->cpu = scr_time_of(CLOCK_THREAD_CPUTIME_ID) - r->cpu;
}

/* Returns the former stack of a coroutine, and frees those of all others, which may have
 * been collected. */
static scr_stack take_stack(scr_recording *r, lua_State *L) {
  scr_stack *found = scr_stack_find(&r->stacks, L);
  const scr_stack taken = found ? *found : (scr_stack){0};
  if (found) found->frames = NULL;
  scr_stacks_free(&r->stacks);
  return taken;
}

/* Makes the stacks those of a new period; false if there is no memory. Without counts,
 * they have only zones. */
static bool start_stacks(scr_recording *r, lua_State *L, bool continues) {
  bool done = true;
  if (r->events != 0) {
    scr_stack former = take_stack(r, L);
    done = scr_stacks_init(&r->stacks) && (!continues || scr_continue(r, L, &former));
    free(former.frames);
  }
  scr_resume_zones(r);
  return done;
}

/* Starts what takes samples. Returns NULL, or what is wrong. */
static const char *start_samples(lua_State *L, scr_recording *r, lua_Integer rate,
                                 bool with_c, bool is_program) {
  const bool has_timer = !with_c && rate > 0 && r->period == 0;
  if ((with_c || has_timer) && r->hook_code.count == 0)
    r->hook_code = scr_find_hook_code(r->events, (uintptr_t)scr_hook);
  if (with_c && r->is_paused) return scr_mixed_resume(r);
  if (with_c) return scr_mixed_begin(r, add_ticks, is_program);
  const int failed = has_timer ? scr_start_timer(r, (long)rate) : 0;
  if (failed == 0) return NULL;
  return lua_pushfstring(L, "there is no timer for samples: %s", strerror(failed));
}

/* Ends a recording whose state was passed to this thread from the one that is recorded,
 * which still refers to it. */
static void abandon(lua_State *L, scr_recording *r) {
  r->active = false;
  scr_leave_signals(r);
  scr_stop_timer(r);
  if (r->with_c && r->ended == 0) scr_mixed_abandon();
  if (r->closures) scr_closures_free(r->closures, L);
}

static void free_recording(lua_State *L, scr_recording **at) {
  scr_recording *r = *at;
  if (!r) return;
  *at = NULL;
  end_recording(L, r, GOES_ON);
  abandon(L, r);
  if (scr_ended_recording(L) == r) scr_set_ended(L, NULL);
  scr_paths_free(&r->paths);
  scr_functions_free(&r->functions);
  scr_stacks_free(&r->stacks);
  free(r->profile);
  if (!r->thread || r->thread == &scr_current)
    free(r);
  else
    __atomic_store_n(&r->abandoned, true, __ATOMIC_RELEASE);
}

/* start(recording, rate, period, count, with_c, is_program, former) -> true; or nil and a
 * message. `rate`: samples in a second, or 0; `period`: instructions of Lua for a sample,
 * or 0; `count`: "none", "calls" or "lines", which are counted with the calls; `with_c`:
 * whether the C recorder takes the samples, and records C functions, too; `is_program`:
 * see scr_mixed_begin; `former`: a recording that is no longer needed, or nil: its memory
 * is freed here, because a call that does so later would be recorded. A recording that
 * was stopped continues; with `with_c`, only after a pause */
static int start(lua_State *L) {
  scr_recording *r = check_recording(L);
  static const char *const counts[] = {"none", "calls", "lines", NULL};
  static const int events[] = {0, LUA_MASKCALL | LUA_MASKRET,
                               LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE};
  const lua_Integer rate = luaL_checkinteger(L, 2), period = luaL_checkinteger(L, 3);
  const int count = luaL_checkoption(L, 4, NULL, counts);
  scr_recording **former =
      lua_isnoneornil(L, 7) ? NULL : luaL_checkudata(L, 7, RECORDING);
  drop_abandoned();
  if (scr_current) return fail_to_start(L, "this thread is being recorded");
  if (lua_gethook(L) && lua_gethook(L) != scr_hook)
    return fail_to_start(L, "the program has set a hook (debug.sethook)");
  const bool knows_prototypes = scr_finds_prototypes(L);
  const bool knows_calls = scr_finds_calls(L);
  if (!(r->closures = scr_closures_new(L, &r->stacks, events[count] != 0)))
    return fail_to_start(L, "not enough memory");
  r->registry = lua_topointer(L, LUA_REGISTRYINDEX);
  r->collector = scr_collector(L);
  scr_set_running(r, L);
  r->process = getpid();
  r->period = (int)period;
  r->events = events[count];
  r->functions.counts_lines = (r->events & LUA_MASKLINE) != 0;
  r->functions.knows_prototypes = knows_prototypes;
  r->functions.knows_calls = knows_calls;
  r->sites = knows_calls ? &r->closures->sites : NULL;
  scr_find_zone(r, L);
  const bool continues = r->began != 0;
  start_period(r);
  r->active = true;
  scr_current = r;
  r->thread = &scr_current;
  const char *problem =
      start_samples(L, r, rate, lua_toboolean(L, 5), lua_toboolean(L, 6));
  if (!problem && !start_stacks(r, L, continues)) problem = "not enough memory";
  set_hooks(L, r);
  if (problem) {
    end_recording(L, r, GOES_ON);
    return fail_to_start(L, problem);
  }
  if (former) free_recording(L, former);
  lua_pushboolean(L, true);
  return 1;
}

/* Takes back the calls that lead to stop: of this function, and of those in the Lua
 * file that calls it. */
static void forget_stop(lua_State *L, scr_recording *r) {
  scr_stack *stack = scr_stack_of(&r->stacks, L, SCR_START);
  const char *source = NULL;
  lua_Debug ar;
  for (int level = 0; stack && stack->count > 0 && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "S", &ar);
    if (level == 1) source = ar.source;
    if (level > 1 && ar.source != source) return;
    scr_cut(r, stack, ar.i_ci);
    if (stack->count == 0) return;
    if (r->with_c)
      scr_mixed_forget(stack);
    else
      r->paths.records[scr_stack_context(stack)].count--;
    stack->count--;
  }
}

/* stop(recording, after): `after`, what the C recorder does then: "go on", "stop" or
 * "wait"; see the enumeration */
static int stop(lua_State *L) {
  scr_recording *r = check_recording(L);
  static const char *const names[] = {"go on", "stop", "wait", NULL};
  const int after = luaL_checkoption(L, 2, NULL, names);
  const bool is_counted = scr_current == r && r->active && r->events != 0;
  if (is_counted && lua_gethook(L) == scr_hook) forget_stop(L, r);
  end_recording(L, r, (enum after)after);
  return 0;
}

static int collect(lua_State *L) {
  free_recording(L, luaL_checkudata(L, 1, RECORDING));
  return 0;
}

/* at_signal(recording, function): has the function called before a signal ends the
 * program; while the state is being recorded */
static int at_signal(lua_State *L) {
  scr_recording *r = check_recording(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  scr_catch_signals(L, r);
  return 0;
}

/* knows(recording, function) -> whether the function has been called */
static int knows(lua_State *L) {
  scr_recording *r = check_recording(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_pushboolean(L, scr_function_find(&r->functions, L) != SCR_NONE);
  return 1;
}

/* name(recording, function, name): names a function that has been called */
static int name(lua_State *L) {
  scr_recording *r = check_recording(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  const char *given = luaL_checkstring(L, 3);
  lua_pushvalue(L, 2);
  const uint32_t number = scr_function_find(&r->functions, L);
  if (number == SCR_NONE) return 0;
  if (!scr_function_name(&r->functions.list[number], given, 0))
    return luaL_error(L, "not enough memory");
  return 0;
}

static void set_integer(lua_State *L, const char *key, uint64_t value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, key);
}

static void set_boolean(lua_State *L, const char *key, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, key);
}

/* Sets the fields of a C function: what identifies it in other processes, too, its object
 * file, by name and by path, and its place there; and its symbol, if it is exported. */
static void set_place(lua_State *L, lua_CFunction entry) {
  Dl_info found;
  const char *path = dladdr((void *)(uintptr_t)entry, &found) ? found.dli_fname : NULL;
  const char *name = path ? strrchr(path, '/') : NULL;
  if (path && found.dli_saddr == (void *)(uintptr_t)entry) {
    lua_pushstring(L, found.dli_sname);
    lua_setfield(L, -2, "symbol");
  }
  const uintptr_t place = (uintptr_t)entry - (path ? (uintptr_t)found.dli_fbase : 0);
  lua_pushfstring(L, path ? "%s+%p" : "%s%p", name ? name + 1 : path ? path : "",
                  (void *)place);
  lua_setfield(L, -2, "place");
  lua_pushfstring(L, "%s+%p", path ? path : "", (void *)place);
  lua_setfield(L, -2, "full_place");
}

static void push_executions(lua_State *L, const scr_lines *lines) {
  lua_newtable(L);
  for (size_t i = 0; i < lines->size; i++) {
    if (lines->counts[i] == 0) continue;
    lua_pushinteger(L, (lua_Integer)lines->counts[i] - 1);
    lua_rawseti(L, -2, (lua_Integer)lines->first + (lua_Integer)i);
  }
}

static void push_created(lua_State *L, const scr_place *created) {
  lua_newtable(L);
  for (int i = 0; i < SCR_MOST_CREATED && created[i].line > 0; i++) {
    lua_createtable(L, 0, 2);
    set_integer(L, "creator", created[i].function + UINT64_C(1));
    set_integer(L, "line", created[i].line);
    lua_rawseti(L, -2, i + 1);
  }
}

/* functions(recording) -> array of tables: `name`, or nil, and its `rank`; `source`, or
 * nil for C functions; `place` and `full_place`, of C functions, and `symbol`, or nil;
 * `first` and `last`, the lines of the definition; `signature`; `code`, the checksum of
 * the bytecode, or 0; `is_zone`; `is_hidden`, of the function zone; `text`, of a chunk
 * that is a text, or nil; `executions`, a table from lines with code to numbers, empty
 * unless lines were counted; `created`, an array of places that have created coroutines
 * with the function: `creator`, the number of a function, and `line` */
static int functions(lua_State *L) {
  const scr_functions *known = &check_recording(L)->functions;
  lua_createtable(L, (int)known->count, 0);
  for (size_t i = 0; i < known->count; i++) {
    const scr_function *f = &known->list[i];
    lua_createtable(L, 0, 8);
    lua_pushstring(L, f->name);
    lua_setfield(L, -2, "name");
    set_integer(L, "rank", f->rank);
    if (f->entry) set_place(L, f->entry);
    lua_pushstring(L, f->source);
    lua_setfield(L, -2, "source");
    set_integer(L, "first", f->begun ? f->begun : f->first);
    set_integer(L, "last", f->begun ? f->begun : f->last);
    set_integer(L, "signature", f->begun ? 0 : f->signature);
    set_integer(L, "code", f->code);
    set_boolean(L, "is_zone", f->begun > 0);
    set_boolean(L, "is_hidden", i == known->zone);
    lua_pushstring(L, f->text);
    lua_setfield(L, -2, "text");
    push_executions(L, &f->lines);
    lua_setfield(L, -2, "executions");
    push_created(L, f->created);
    lua_setfield(L, -2, "created");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* result(recording) -> table: `records`, the bytes of an array of scr_record; with C
 * functions, `profile`, the C recorder's context profile, or nil if it could not be
 * taken, `interpreter`, an address in the code of Lua, and `functions_low` and
 * `line_bits`: see csrc/runtime/lua_program.h; `ticks`; `inside`, those of the hook, and
 * of calling it; `signals`; `cpu`, the processor time, `began` and `ended`, in
 * nanoseconds; `memory`, the limit in bytes; `process` and `parent`, numbers of
 * processes; `loaded`, the number of records when the program had loaded the module
 * gprof.recorder, or 0; `is_forked`, whether this process did not start the recording;
 * `joined`, whether calls with different paths were joined; `displaced`, whether the
 * program set a hook of its own; `removed`, whether it removed the recording's;
 * `interrupted`, whether it did so for a while, or set a hook in a coroutine;
 * `out_of_memory` */
static int result(lua_State *L) {
  scr_recording *r = check_recording(L);
  luaL_argcheck(L, r != scr_current, 1, "is not stopped");
  if (r->is_paused) scr_mixed_take(r);
  lua_createtable(L, 0, 16);
  lua_pushlstring(L, (const char *)r->paths.records,
                  r->paths.count * sizeof *r->paths.records);
  lua_setfield(L, -2, "records");
  if (r->profile_size > 0) {
    lua_pushlstring(L, (const char *)r->profile, r->profile_size);
    lua_setfield(L, -2, "profile");
  }
  set_integer(L, "interpreter", (uintptr_t)lua_sethook);
  set_integer(L, "functions_low", GPROF_LUA_LOW);
  set_integer(L, "functions_size", GPROF_LUA_SIZE);
  set_integer(L, "line_bits", GPROF_LUA_LINE_BITS);
  set_integer(L, "ticks", r->ticks);
  set_integer(L, "inside", r->inside);
  set_integer(L, "signals", r->signals);
  set_integer(L, "cpu", r->cpu);
  set_integer(L, "began", r->began);
  set_integer(L, "ended", r->ended);
  set_integer(L, "memory", r->paths.most * sizeof *r->paths.records);
  set_integer(L, "process", (uint64_t)getpid());
  set_integer(L, "parent", (uint64_t)getppid());
  set_boolean(L, "with_c", r->with_c);
  set_boolean(L, "is_forked", getpid() != r->process);
  set_integer(L, "loaded", r->loaded);
  set_boolean(L, "joined", r->paths.joined);
  set_boolean(L, "displaced", r->displaced);
  set_boolean(L, "removed", r->removed);
  set_boolean(L, "interrupted", r->interrupted);
  set_boolean(L, "out_of_memory", r->out_of_memory);
  return 1;
}

/* loaded(): the module gprof.recorder has been loaded, maybe by a program that another
 * one records */
static int loaded(lua_State *L) {
  scr_recording *r = scr_current;
  if (r && lua_topointer(L, LUA_REGISTRYINDEX) == r->registry) r->loaded = r->paths.count;
  return 0;
}

/* crc32(text) -> integer */
static int crc32(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  gp_crc32 *crc = lua_touserdata(L, lua_upvalueindex(1));
  crc->inverted = UINT32_MAX;
  gp_crc32_add(crc, (const unsigned char *)text, size);
  lua_pushinteger(L, gp_crc32_value(crc));
  return 1;
}

/* Pushes that function, which keeps its tables. */
static void push_crc32(lua_State *L) {
  gp_crc32_init(lua_newuserdatauv(L, sizeof(gp_crc32), 0));
  lua_pushcclosure(L, crc32, 1);
}

int luaopen_gprof_hooks(lua_State *L) {
  static const luaL_Reg members[] = {{"new", new_recording}, {"start", start},
                                     {"stop", stop}, {"knows", knows},
                                     {"name", name},
                                     {"at_signal", at_signal},
                                     {"functions", functions}, {"result", result},
                                     {"coroutines", scr_coroutines},
                                     {"sethook", scr_sethook},
                                     {"zone", scr_zone},
                                     {"zone_open", scr_zone_open},
                                     {"zone_close", scr_zone_close},
                                     {"zone_begin", scr_zone_begin},
                                     {"zone_end", scr_zone_end},
                                     {"loaded", loaded}, {"save", scr_save},
                                     {"source", scr_source},
                                     {"directory", scr_directory}, {NULL, NULL}};
  if (luaL_newmetatable(L, RECORDING)) {
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
  }
  luaL_newlib(L, members);
  gp_define_bundle(L);
  push_crc32(L);
  lua_setfield(L, -2, "crc32");
  return 1;
}
