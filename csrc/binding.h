/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The binding: what its files share.
 *
 * Every object of the core that Lua sees lives in a userdata, its box, which is
 * made empty before the core is called and filled afterwards: whatever Lua raises
 * in between, the collector frees what there is. A closed box is an empty one.
 */
#ifndef GP_BINDING_H
#define GP_BINDING_H

#include <lauxlib.h>
#include <lua.h>

#include "linemap.h"
#include "names.h"
#include "profile.h"
#include "sources.h"
#include "trace.h"

#define GP_IMAGE "gprof.image"
#define GP_DATA "gprof.data"
#define GP_SYMBOLS "gprof.symbols"
#define GP_LINES "gprof.lines"
#define GP_PROFILE "gprof.profile"
#define GP_FUNCTION_NODE "gprof.function"
#define GP_CYCLE_NODE "gprof.cycle"
#define GP_ARC "gprof.arc"
#define GP_TRACE_OBJECT "gprof.trace"

typedef struct image_box {
  gp_image *image;            /* NULL once closed */
  gp_linemap map[2];          /* of .text, made when somebody asks: as it is, as libbfd's; */
  bool mapped[2];             /*   were they? */
} image_box;

typedef struct data_box {
  gp_data data;
  bool open;
} data_box;

typedef struct symbols_box {
  const image_box *image;     /* kept alive by user value 1, as is a trace by 2, and by 3
                                 the functions that symbols of lines are of */
  gp_symfile listed, map;     /* the files that symbols came from, if any */
  gp_symtab symtab;
  gp_names names;             /* made when somebody asks; */
  gp_sources sources;         /*   so is this */
  bool named, sourced;        /* were they? */
} symbols_box;

typedef struct profile_box {
  gp_profile *profile;
  const image_box *image;     /* kept alive by user value PROFILE_IMAGE */
  bool demangled;             /* names are shown demangled */
} profile_box;

/* user values of a profile */
enum { PROFILE_IMAGE = 1, PROFILE_DATA, PROFILE_SYMBOLS, PROFILE_OBJECTS, PROFILE_ARCS,
       PROFILE_NAMES, PROFILE_VALUES = PROFILE_NAMES };

/* A field of an object: pushes its value. `object` is the box, which is at stack index
 * 1; for parts of a profile it is something of their own (see lua_parts.c). */
typedef struct object_field {
  const char *name;
  void (*push)(lua_State *L, const void *object);
} object_field;

/* Makes a metatable: `meta` are metamethods, `methods` answer to o:method(). Pushes
 * the table in which o.key is looked up: whoever adds a function to it adds a method.
 * `get` is the function that looks up, a closure over that table and the metatable. */
void define_object(lua_State *L, const char *name, lua_CFunction get, const luaL_Reg *meta,
                   const luaL_Reg *methods);

/* Adds fields to the table on the top; the list ends with one without name. */
void define_fields(lua_State *L, const object_field *fields);

/* The field of that name at argument `index`, from such a table there is at the top of
 * the stack; a Lua error if there is none. */
const object_field *check_field(lua_State *L, int index);

/* For functions that look up: the object that is argument 1, or a Lua error if it is
 * none of the right type. Leaves the object and the key on the stack. */
void *check_self(lua_State *L);

/* object.key for objects that are no parts of others. */
int get_field(lua_State *L);

/* nil and a message: "PATH: what is wrong". For results, not for raising. */
int push_failure(lua_State *L, const char *path, const gp_error *error);

/* The trace at `index`, or NULL if there is nil. Whoever goes by it keeps it alive. */
const gp_trace *opt_trace(lua_State *L, int index);

/* The open object at `index`, or a Lua error that says what is wrong with it. */
gp_image *check_image(lua_State *L, int index);
gp_data *check_data(lua_State *L, int index);
symbols_box *check_symbols(lua_State *L, int index);
gp_profile *check_profile(lua_State *L, int index);
gp_profile *open_profile(lua_State *L, const profile_box *box);

/* Where the functions of the symbols at `index` come from: looked up when somebody asks. */
const gp_sources *check_sources(lua_State *L, int index);

/* Pushes the one object that stands for a node of the profile at stack index
 * `profile`. */
void push_node(lua_State *L, int profile, uint32_t node);

/* Pushes the fields of a node that arguments `first` to `last` name, and returns how
 * many they are. */
int push_node_fields(lua_State *L, int profile, uint32_t node, int first, int last);

/* A field of the table of options at `index`: whether it is set; its text, or NULL. */
bool flag_option(lua_State *L, int index, const char *name);
const char *text_option(lua_State *L, int index, const char *name);

/* Pushes a userdata that frees what it holds, and then sees to it that it holds what
 * is in the selections at `index` of the stack: tables of numbers of functions, by
 * stage; see lua_selection.c. */
gp_selections *push_selections(lua_State *L, int index, size_t functions);

/* Pushes a copy of a malloc'd string, and frees it: not before Lua has its copy, and
 * even if Lua raises an error instead. */
void push_and_free(lua_State *L, char *text);

/* Pushes a table of `count` numbers of rows, counted from 1, and frees the column; a
 * Lua error if that is NULL. */
void push_rows_and_free(lua_State *L, uint32_t *rows, size_t count);

/* An iteration over parts of a profile. */
typedef struct iterator {
  uint32_t *rows;         /* numbers of nodes or arcs; freed by the collector */
  size_t count, done;
  void (*push)(lua_State *L, int profile, uint32_t row);  /* pushes an object, or */
  int field_count;                                        /*   so many fields */
  const object_field *fields[];
} iterator;

typedef enum part_kind { PART_NODE, PART_FUNCTION, PART_CYCLE, PART_ARC } part_kind;

/* Pushes an iteration over parts of the profile at stack index `profile`, still
 * without rows. The arguments `first` to `last` are names of fields: if there are
 * any, these fields of each part are given, and no objects are made. */
iterator *new_iterator(lua_State *L, int profile, part_kind kind, int first, int last);

/* Pushes an iteration over the blocks of a function, or of a line, of the profile at stack
 * index `profile`, in the order in which they were met: address and executions of each.
 * Returns 1. */
int push_blocks(lua_State *L, int profile, uint32_t symbol);

/* Returns, for a generic for, the iteration on the top of the stack, which has its
 * rows by now; a Lua error if there was no memory for them. */
int return_iterator(lua_State *L);

/* What there is around a node, in the order of its entry: arcs into a function and out of
 * it, and the functions of a cycle. */
typedef enum around { AROUND_CALLERS, AROUND_CALLEES, AROUND_MEMBERS, AROUND_LINES } around;

/* Returns, for a generic for, an iteration over what is around a node of the profile at
 * stack index `profile`; with names of fields as for new_iterator. */
int iterate_around(lua_State *L, int profile, around what, uint32_t node, int first,
                   int last);

/* image:lines(): see lua_lines.c */
int image_lines(lua_State *L);

/* Registration, by file: adds functions to the module's table on the stack's top. */
void define_image(lua_State *L);
void define_data(lua_State *L);
void define_lines(lua_State *L);
void define_symbols(lua_State *L);
void define_selection(lua_State *L);
void define_profile(lua_State *L);
void define_parts(lua_State *L);
void define_memory(lua_State *L);
void define_stream(lua_State *L);
void define_files(lua_State *L);
void define_options(lua_State *L);
void define_trace(lua_State *L);

#endif
