/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a target written in Lua: fuzz/targets/NAME.lua. fuzz.mk sets three macros:
 * FUZZ_TARGET is the NAME, FUZZ_ROOT the checkout, FUZZ_DIRECTORY the build directory.
 *
 * The target returns a function, which is called with the four parts of each input. The
 * first part selects options. All inputs share one Lua state. An error in the function is
 * a failure.
 *
 * Reports transitions between lines of Lua to libFuzzer as coverage.
 *
 * The global `fuzz` has
 * - `file(bytes[, number])`: the path of a file with these bytes. It lasts until the next
 *   call with the same number, 0 or 1;
 * - `output()`: the path of a file that receives standard output from then on;
 * - `root` and `directory`: FUZZ_ROOT and FUZZ_DIRECTORY.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua_memory.h"
#include "support.h"

enum { PARTS = 4 };
const size_t fuzz_part_count = PARTS;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int luaopen_gprof_core(lua_State *L);
int luaopen_gprof_opcodes(lua_State *L);

static lua_State *state;

/* --- coverage --------------------------------------------------------------------- */

enum { COUNTERS = 1 << 15 };
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

/* Identifies a source by the end of its name. Its address would change whenever a target
 * loads the file again, and each time look like new coverage. */
FUZZ_UNOBSERVED static size_t source_hash(const lua_Debug *at) {
  uint64_t end[2] = {0, 0};
  if (at->srclen >= sizeof end)
    memcpy(end, at->source + at->srclen - sizeof end, sizeof end);
  else
    memcpy(end, at->source, at->srclen);
  uint64_t hash = (end[0] ^ at->srclen) * UINT64_C(0x9e3779b97f4a7c15) ^ end[1];
  return (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* Counts the transition from the previous line to this one. */
FUZZ_UNOBSERVED static void step(lua_State *L, lua_Debug *at) {
  static size_t before;
  lua_getinfo(L, "S", at);
  size_t place = source_hash(at) + (size_t)at->currentline * 101;
  counters[(place ^ before >> 1) % COUNTERS]++;
  before = place;
}

/* --- the environment of targets --------------------------------------------------- */

static int make_file(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  unsigned number = luaL_optinteger(L, 2, 0) != 0;
  fuzz_part part = {(const uint8_t *)bytes, size};
  lua_pushstring(L, fuzz_make_file(part, number).path);
  return 1;
}

static int catch_output(lua_State *L) {
  lua_pushstring(L, fuzz_catch_output().path);
  return 1;
}

static void define_fuzz(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"file", make_file}, {"output", catch_output}, {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_pushstring(L, FUZZ_ROOT);
  lua_setfield(L, -2, "root");
  lua_pushstring(L, FUZZ_DIRECTORY);
  lua_setfield(L, -2, "directory");
  lua_setglobal(L, "fuzz");
}

/* Makes the core's modules, which are linked in, available to `require`. Lua modules are
 * loaded from the checkout. */
static void define_modules(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_gprof_core);
  lua_setfield(L, -2, "gprof.core");
  lua_pushcfunction(L, luaopen_gprof_opcodes);
  lua_setfield(L, -2, "gprof.opcodes");
  lua_getglobal(L, "package");
  lua_pushliteral(L, FUZZ_ROOT "/lua/?.lua;" FUZZ_ROOT "/lua/?/init.lua;"
                     FUZZ_ROOT "/fuzz/?.lua");
  lua_setfield(L, -2, "path");
  lua_settop(L, 0);
}

/* --- running targets -------------------------------------------------------------- */

static int trace(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

/* Calls the function below its arguments on the stack. Aborts on an error. */
static void run(lua_State *L, int arguments, int results) {
  int function = lua_gettop(L) - arguments;
  lua_pushcfunction(L, trace);
  lua_insert(L, function);
  if (lua_pcall(L, arguments, results, function)) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  lua_remove(L, function);
}

/* Checks for leaks every LEAKS_EVERY inputs, after a full garbage collection. libFuzzer
 * would check after each input that leaves more memory allocated. With garbage
 * collection, that is nearly every input. */
enum { LEAKS_EVERY = 5000 };
/* defined by the sanitizer: NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl*) */
void __lsan_do_leak_check(void) __attribute__((weak));

static void check_leaks(lua_State *L) {
  static unsigned runs;
  if (++runs % LEAKS_EVERY) return;
  lua_gc(L, LUA_GCCOLLECT);
  if (__lsan_do_leak_check) __lsan_do_leak_check();
}

enum { MAX_WORDS = 64 };

/* A garbage collection begins when the memory in use is four times that after the last
 * one. Most of it is the program, which every collection traverses. */
enum { PAUSE = 400 };

/* Appends an option that turns off libFuzzer's own leak checks. */
static void disable_leak_checks(int *argc, char ***argv) {
  static char *words[MAX_WORDS + 1], option[] = "-detect_leaks=0";
  if (*argc >= MAX_WORDS) abort();
  memcpy(words, *argv, (size_t)*argc * sizeof *words);
  words[(*argc)++] = option;
  *argv = words;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  disable_leak_checks(argc, argv);
  lua_State *L = state = lua_newstate(fuzz_lua_memory, NULL);
  if (!L) abort();
  luaL_openlibs(L);
  define_modules(L);
  define_fuzz(L);
  if (luaL_loadfile(L, FUZZ_ROOT "/fuzz/targets/" FUZZ_TARGET ".lua")) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  run(L, 0, 1);
  lua_gc(L, LUA_GCINC, PAUSE, 0, 0);
  lua_sethook(L, step, LUA_MASKLINE, 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[PARTS];
  fuzz_parts(data, size, parts, PARTS);
  lua_pushvalue(state, 1);
  for (int i = 0; i < PARTS; i++)
    lua_pushlstring(state, (const char *)parts[i].bytes, parts[i].size);
  run(state, PARTS, 0);
  check_leaks(state);
  return 0;
}
