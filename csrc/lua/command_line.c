/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command line parsing for Lua, with libc's getopt_long and libiberty's buildargv. */
#include <getopt.h>
#include <lauxlib.h>
#include <limits.h>
#include <libiberty/libiberty.h>
#include <stdlib.h>
#include <string.h>

#include "lua/arguments.h"
#include "lua/module.h"

#define GP_ARGV "gprof.argv"

/* --- argument vectors ------------------------------------------------------ */

/* Pushes a C argument vector made from the array of strings at `index`; argv[0] is
 * `program`. The collector frees the vector. The strings still belong to the array, which
 * must keep them alive. */
static char **push_argv(lua_State *L, int index, const char *program, int *argc) {
  lua_Unsigned length = lua_rawlen(L, index);
  luaL_argcheck(L, length < INT_MAX / 2, index, "too many arguments");
  lua_Integer count = (lua_Integer)length;
  char **argv = lua_newuserdatauv(L, ((size_t)count + 2) * sizeof *argv, 0);
  argv[0] = (char *)(uintptr_t)program;
  for (lua_Integer i = 1; i <= count; i++) {
    /* no numbers: lua_tostring would make new strings, which nothing keeps alive */
    luaL_argcheck(L, lua_rawgeti(L, index, i) == LUA_TSTRING, index,
                  "array of strings expected");
    argv[i] = (char *)(uintptr_t)lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  argv[count + 1] = NULL;
  *argc = (int)count + 1;
  return argv;
}

/* Frees the vector that buildargv made, even if Lua raises an error. */
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

/* split(text) -> the words of the text: separated by blanks, with quotes and backslashes
 * as in libiberty's @FILE arguments. The text ends at a zero byte. */
static int split(lua_State *L) {
  const char *text = luaL_checkstring(L, 1);
  char ***box = push_argv_box(L);
  lua_newtable(L);
  if (text[strspn(text, " \t\n\v\f\r")] == '\0') return 1;
  *box = buildargv(text);
  for (int i = 0; (*box)[i]; i++) {
    lua_pushstring(L, (*box)[i]);
    lua_rawseti(L, -2, i + 1);
  }
  freeargv(*box);
  *box = NULL;
  return 1;
}

/* --- options --------------------------------------------------------------- */

/* An option table is a string with one line per option. A line begins with the option's
 * letter (or a blank), a blank, and the long name (or nothing). "=" follows if an
 * argument is required, "[=" if it is optional. The rest of the line is ignored. */

/* For a long option, getopt_long returns LONG_BASE plus the offset of the option's line.
 * For a short option it returns the letter, which is less than LONG_BASE. */
enum { LONG_BASE = 1000 };

static int argument_kind(const char *after_name) {
  return *after_name == '=' ? required_argument
         : *after_name == '[' ? optional_argument : no_argument;
}

static size_t name_length(const char *line) { return strcspn(line + 2, "=[ \n"); }

static const char *next_line(const char *line) { return line + strcspn(line, "\n") + 1; }

/* Returns the option table at `index` and counts its lines; a Lua error if a line is too
 * short to hold a letter, a blank and a name. */
static const char *check_table(lua_State *L, int index, int *lines) {
  const char *text = luaL_checkstring(L, index);
  *lines = 0;
  for (const char *line = text; *line; line = next_line(line)) {
    bool whole = strcspn(line, "\n") > 2 && strchr(line, '\n');
    luaL_argcheck(L, whole && line - text < INT_MAX / 2, index, "malformed option table");
    ++*lines;
  }
  return text;
}

/* Pushes the long options of the table at `index` as an array for getopt_long. The same
 * block also holds a copy of the table, in which each name ends with a zero byte. */
static struct option *push_long_options(lua_State *L, int index) {
  int lines;
  const char *text = check_table(L, index, &lines);
  size_t size = strlen(text) + 1, count = (size_t)lines + 1;
  struct option *options = lua_newuserdatauv(L, count * sizeof *options + size, 0);
  char *copy = memcpy(options + count, text, size);
  memset(options, 0, count * sizeof *options);
  struct option *next = options;
  for (const char *line = text; *line; line = next_line(line)) {
    size_t length = name_length(line);
    if (length == 0) continue;
    next->name = copy + (line - text) + 2;
    next->has_arg = argument_kind(next->name + length);
    next->val = LONG_BASE + (int)(line - text);
    copy[line - text + 2 + (ptrdiff_t)length] = '\0';
    next++;
  }
  return options;
}

/* Pushes the letters of a table in getopt_long's syntax. The "-" makes getopt_long return
 * operands in place: by default it moves them after the options, which takes quadratic
 * time. If `ordered`, or under POSIXLY_CORRECT, the first operand ends the options. */
static const char *push_letters(lua_State *L, const char *table, bool ordered) {
  static const char *const colons[] = {
      [no_argument] = "", [required_argument] = ":", [optional_argument] = "::"};
  luaL_Buffer letters;
  luaL_buffinit(L, &letters);
  luaL_addstring(&letters, ordered || getenv("POSIXLY_CORRECT") ? "+:" : "-:");
  for (const char *line = table; *line; line = next_line(line)) {
    if (*line == ' ') continue;
    luaL_addchar(&letters, *line);
    int kind = argument_kind(line + 2 + name_length(line));
    luaL_addstring(&letters, colons[kind]);
  }
  luaL_pushresult(&letters);
  return lua_tostring(L, -1);
}

/* Appends {line, value} to the list of options at `index`. */
static void append(lua_State *L, int index, const char *line, const char *value) {
  lua_createtable(L, 2, 0);
  lua_pushlstring(L, line, strcspn(line, "\n"));
  lua_rawseti(L, -2, 1);
  lua_pushstring(L, value);
  lua_rawseti(L, -2, 2);
  lua_rawseti(L, index, luaL_len(L, index) + 1);
}

/* Returns a failure. The options before the rejected word are the last result, because
 * they may include --help. */
static int reject(lua_State *L, int result, const char *kind, const char *word) {
  luaL_pushfail(L);
  lua_pushstring(L, kind);
  lua_pushstring(L, word);
  lua_pushvalue(L, result);
  return 4;
}

/* Pushes the rejected option as the user wrote it: "-x" for a short option, the whole
 * word for a long one. */
static const char *push_rejected(lua_State *L, char **argv, int value) {
  if (value != 0 && value < LONG_BASE) return lua_pushfstring(L, "-%c", value);
  return lua_pushstring(L, argv[optind - 1]);
}

/* Whether the word, "--name" or "--name=value", abbreviates one of the long options. */
static bool is_prefix(const struct option *options, const char *word) {
  size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
  for (; length > 0 && options->name; options++)
    if (strncmp(options->name, word + 2, length) == 0) return true;
  return false;
}

/* getopt_long returns this for an operand, because the letters begin with "-". */
enum { OPERAND = 1 };

static void append_operand(lua_State *L, int index, const char *word) {
  lua_pushstring(L, word);
  lua_rawseti(L, index, luaL_len(L, index) + 1);
}

/* getopt(arguments, options, own [, ordered]) -> list of {line, value}, list of operands;
 * or, if a word is rejected: nil, kind, word, list of the options before it. The kind is
 * "unknown", "missing" (a required argument) or "superfluous" (an argument that the
 * option does not take). The table `own` has long names only. They are looked up after
 * those of the table `options`, so they never make an abbreviation ambiguous. If
 * `ordered`, the first operand ends the options. */
static int read_options(lua_State *L) {
  int argc, choice;
  bool ordered = lua_toboolean(L, 4);
  struct option *all = push_long_options(L, 2), *own = push_long_options(L, 3);
  const char *table, *letters;
  letters = push_letters(L, lua_tostring(L, 2), ordered);
  luaL_checktype(L, 1, LUA_TTABLE);
  char **argv = push_argv(L, 1, "", &argc);
  lua_newtable(L);
  lua_newtable(L);
  int operands = lua_gettop(L), result = operands - 1;
  optind = 0;  /* resets getopt_long */
  opterr = 0;
  for (;;) {
    table = lua_tostring(L, 2);
    choice = getopt_long(argc, argv, letters, all, NULL);
    if (choice == '?' && optopt == 0 && !is_prefix(all, argv[optind - 1])) {
      optind--;
      table = lua_tostring(L, 3);
      choice = getopt_long(argc, argv, letters, own, NULL);
    }
    if (choice < 0) break;
    if (choice == ':')
      return reject(L, result, "missing", push_rejected(L, argv, optopt));
    if (choice == '?')
      return reject(L, result, optopt >= LONG_BASE ? "superfluous" : "unknown",
                    push_rejected(L, argv, optopt));
    if (choice == OPERAND) {
      append_operand(L, operands, optarg);
    } else {
      const char *line = choice >= LONG_BASE ? table + (choice - LONG_BASE) : table;
      while (choice < LONG_BASE && *line && *line != choice) line = next_line(line);
      append(L, result, line, optarg);
    }
  }
  for (int i = optind; i < argc; i++) append_operand(L, operands, argv[i]);
  return 2;
}

void gp_define_command_line(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"getopt", read_options}, {"split", split}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
