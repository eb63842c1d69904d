/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Lua interpreter for sanitizers: `launcher SCRIPT [ARGUMENT...]`.
 *
 * The sanitizers' runtime must be part of the executable. LD_PRELOAD with the ordinary
 * interpreter would also load it into the compilers and other programs that specs start.
 * So this interpreter links the runtime and the core's modules, and preloads the modules
 * for `require`.
 *
 * LUA_INIT_5_4 is supported only with the value "@FILE".
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>

#include "modules.h"
#include "object/image.h"

int luaopen_gprof_core(lua_State *L);
int luaopen_gprof_opcodes(lua_State *L);
int luaopen_gprof_confinement(lua_State *L);
int luaopen_gprof_hooks(lua_State *L);
#ifdef WITH_LZMA
int luaopen_gprof_xz(lua_State *L);
#endif
int luaopen_scarce(lua_State *L);
int luaopen_starve(lua_State *L);

#define SEEN __attribute__((visibility("default")))
SEEN const char *__asan_default_options(void);

/* Stacks of allocations are kept short, since specs start thousands of processes. */
const char *__asan_default_options(void) { return "malloc_context_size=12"; }

/* libbfd 2.40 leaks some debugging sections (.debug_rnglists and the like) after a line
 * lookup. What a lookup allocates is therefore not checked for leaks. The linker
 * replaces the calls of gp_image_locate (--wrap). */
bool locate(const gp_image *image, uint64_t address,
            gp_location *location) __asm__("__real_gp_image_locate");
bool locate_unchecked(const gp_image *image, uint64_t address,
                      gp_location *location) __asm__("__wrap_gp_image_locate");

bool locate_unchecked(const gp_image *image, uint64_t address, gp_location *location) {
  __lsan_disable();
  bool found = locate(image, address, location);
  __lsan_enable();
  return found;
}

static int trace(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

static void set_arguments(lua_State *L, int argc, char **argv) {
  lua_createtable(L, argc, 0);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
}

void preload_modules(lua_State *L) {
  static const luaL_Reg modules[] = {{"gprof.core", luaopen_gprof_core},
                                     {"gprof.opcodes", luaopen_gprof_opcodes},
                                     {"gprof.confinement", luaopen_gprof_confinement},
                                     {"gprof.hooks", luaopen_gprof_hooks},
#ifdef WITH_LZMA
                                     {"gprof.xz", luaopen_gprof_xz},
#endif
                                     {"scarce", luaopen_scarce},
                                     {"starve", luaopen_starve},
                                     {NULL, NULL}};
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  luaL_setfuncs(L, modules, 0);
  lua_pop(L, 1);
}

/* Runs the file of LUA_INIT_5_4, as lua5.4 does. */
static int run_init(lua_State *L) {
  const char *init = getenv("LUA_INIT_5_4");
  if (!init || *init != '@') return LUA_OK;
  return luaL_loadfile(L, init + 1) || lua_pcall(L, 0, 0, 1);
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (!L || argc < 2) return 2;
  luaL_openlibs(L);
  preload_modules(L);
  set_arguments(L, argc, argv);
  lua_pushcfunction(L, trace);
  int failed = run_init(L) || luaL_loadfile(L, argv[1]);
  luaL_checkstack(L, argc, "too many arguments");
  for (int i = 2; !failed && i < argc; i++) lua_pushstring(L, argv[i]);
  if (failed || lua_pcall(L, argc - 2, 0, 1)) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    failed = 1;
  }
  lua_close(L);
  return failed;
}
