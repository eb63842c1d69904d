/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line for Lua: libc's getopt_long and libiberty's expandargv. */
#include <getopt.h>
#include <limits.h>
#include <libiberty/libiberty.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

#define GP_ARGV "gprof.argv"

/* --- argument vectors ------------------------------------------------------ */

/* Pushes a copy of the table of strings at `index` as a C argument vector that the
 * collector frees; the strings stay the table's. argv[0] is the program's name. */
static char **push_argv(lua_State *L, int index, const char *program, int *argc) {
  lua_Unsigned length = lua_rawlen(L, index);
  luaL_argcheck(L, length < INT_MAX / 2, index, "too many arguments");
  lua_Integer count = (lua_Integer)length;
  char **argv = lua_newuserdatauv(L, ((size_t)count + 2) * sizeof *argv, 0);
  argv[0] = (char *)(uintptr_t)program;
  for (lua_Integer i = 1; i <= count; i++) {
    /* only strings: a number would be turned into one that nobody holds */
    luaL_argcheck(L, lua_rawgeti(L, index, i) == LUA_TSTRING, index, "strings expected");
    argv[i] = (char *)(uintptr_t)lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  argv[count + 1] = NULL;
  *argc = (int)count + 1;
  return argv;
}

/* What expandargv made, freed by the collector if Lua raises an error. */
static int release_argv(lua_State *L) {
  char ***box = luaL_checkudata(L, 1, GP_ARGV);
  freeargv(*box);
  *box = NULL;
  return 0;
}

static char ***push_argv_box(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release_argv}, {NULL, NULL}};
  char ***box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  if (luaL_newmetatable(L, GP_ARGV)) luaL_setfuncs(L, meta, 0);
  lua_setmetatable(L, -2);
  return box;
}

/* expand(program, arguments) -> arguments with each @FILE replaced by the words in
 * that file */
static int expand(lua_State *L) {
  int argc;
  const char *program = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  char **argv = push_argv(L, 2, program, &argc), **original = argv;
  char ***box = push_argv_box(L);
  expandargv(&argc, &argv);
  if (argv != original) *box = argv;
  lua_createtable(L, argc, 0);
  for (int i = 1; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i);
  }
  freeargv(*box);
  *box = NULL;
  return 1;
}

/* --- options --------------------------------------------------------------- */

static const char *const argument_kinds[] = {"none", "required", "optional", NULL};

/* Values of long options, apart from all characters and '?'. */
enum { LONG_BASE = 1000 };

/* Pushes the list of {name, argument} at `index` as a table for getopt_long. */
static struct option *push_long_options(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  lua_Integer count = (lua_Integer)lua_rawlen(L, index);
  struct option *options = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *options, 0);
  memset(options, 0, ((size_t)count + 1) * sizeof *options);
  for (lua_Integer i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    luaL_argcheck(L, lua_istable(L, -1), index, "tables expected");
    lua_getfield(L, -1, "long");
    lua_getfield(L, -2, "argument");
    luaL_argcheck(L, lua_type(L, -2) == LUA_TSTRING, index, "names expected");
    options[i].name = lua_tostring(L, -2);
    options[i].has_arg = luaL_checkoption(L, -1, "none", argument_kinds);
    options[i].val = LONG_BASE + (int)i;
    lua_pop(L, 3);
  }
  return options;
}

/* Appends {name, value} to the result table at `index`. */
static void append(lua_State *L, int index, const char *name, const char *value) {
  lua_createtable(L, 2, 0);
  lua_pushstring(L, name);
  lua_rawseti(L, -2, 1);
  lua_pushstring(L, value);
  lua_rawseti(L, -2, 2);
  lua_rawseti(L, index, luaL_len(L, index) + 1);
}

/* What stood before the culprit is the last result: it may ask for help. */
static int complain(lua_State *L, int result, const char *kind, const char *what) {
  luaL_pushfail(L);
  lua_pushstring(L, kind);
  lua_pushstring(L, what);
  lua_pushvalue(L, result);
  return 4;
}

/* What getopt_long could not take, as the user wrote it: for a long option its
 * whole word, for a short one its letter. */
static const char *push_culprit(lua_State *L, char **argv, int value) {
  if (value != 0 && value < LONG_BASE) return lua_pushfstring(L, "-%c", value);
  return lua_pushstring(L, argv[optind - 1]);
}

/* Whether a long option begins with the word, "--name" or "--name=value". */
static bool is_prefix(const struct option *options, const char *word) {
  size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
  for (; length > 0 && options->name; options++)
    if (strncmp(options->name, word + 2, length) == 0) return true;
  return false;
}

/* What getopt_long takes for the letter of a word that is no option. */
enum { OPERAND = 1 };

/* Pushes the letters as getopt_long wants them: words that are no options come in their
 * turn, as moving them behind the options takes as many steps as both together have words.
 * POSIX has them end the options. */
static const char *push_letters(lua_State *L, const char *letters) {
  return lua_pushfstring(L, "%s:%s", getenv("POSIXLY_CORRECT") ? "" : "-", letters);
}

static void append_operand(lua_State *L, int index, const char *word) {
  lua_pushstring(L, word);
  lua_rawseti(L, index, luaL_len(L, index) + 1);
}

/* getopt(arguments, short, long, own) -> list of {option, value}, operands; or nil,
 * kind, word, list for what cannot be taken: "unknown", "missing" (its argument) or
 * "superfluous" (an argument that it does not take), with what came before. Long
 * options are those of `long`; one that is none of these, nor the beginning of
 * any, is looked for in `own`. */
static int read_options(lua_State *L) {
  int argc, choice;
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *letters = push_letters(L, luaL_checkstring(L, 2));
  char **argv = push_argv(L, 1, "", &argc);
  struct option *all = push_long_options(L, 3), *own = push_long_options(L, 4), *table;
  lua_newtable(L);
  lua_newtable(L);
  int operands = lua_gettop(L), result = operands - 1;
  optind = 0;  /* begin anew */
  opterr = 0;
  for (;;) {
    table = all;
    choice = getopt_long(argc, argv, letters, all, NULL);
    if (choice == '?' && optopt == 0 && !is_prefix(all, argv[optind - 1])) {
      optind--;
      table = own;
      choice = getopt_long(argc, argv, letters, own, NULL);
    }
    if (choice < 0) break;
    if (choice == ':') return complain(L, result, "missing", push_culprit(L, argv, optopt));
    if (choice == '?')
      return complain(L, result, optopt >= LONG_BASE ? "superfluous" : "unknown",
                      push_culprit(L, argv, optopt));
    char letter[2] = {(char)choice, 0};
    if (choice == OPERAND)
      append_operand(L, operands, optarg);
    else
      append(L, result, choice >= LONG_BASE ? table[choice - LONG_BASE].name : letter, optarg);
  }
  for (int i = optind; i < argc; i++) append_operand(L, operands, argv[i]);
  return 2;
}

void define_options(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"getopt", read_options}, {"expand", expand}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
