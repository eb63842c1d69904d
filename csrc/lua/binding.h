/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The binding: what its files share.
 *
 * Every object of the core that Lua sees lives in a userdata, its box, which is
 * made empty before the core is called and filled afterwards: whatever Lua raises
 * in between, the collector frees what there is. A closed box is an empty one.
 */
#ifndef GP_LUA_BINDING_H
#define GP_LUA_BINDING_H

#include <lauxlib.h>
#include <lua.h>

#include "base/trace.h"
#include "debug/line_map.h"
#include "gmon/add_file.h"
#include "profile/annotation.h"
#include "profile/profile.h"
#include "symbols/demangled.h"
#include "symbols/name_index.h"
#include "symbols/symbol_source.h"

#define GP_IMAGE "gprof.image"
#define GP_DATA "gprof.data"
#define GP_SYMBOLS "gprof.symbols"
#define GP_SYMBOL "gprof.symbol"
#define GP_LINES "gprof.lines"
#define GP_PROFILE "gprof.profile"
#define GP_FUNCTION_NODE "gprof.function"
#define GP_CYCLE_NODE "gprof.cycle"
#define GP_ARC "gprof.arc"
#define GP_TRACE_OBJECT "gprof.trace"
#define GP_ANNOTATION_OBJECT "gprof.annotation"

typedef struct gp_image_box {
  gp_image *image;            /* NULL once closed */
  gp_line_map map[2];          /* of .text, made when wanted: as it is, as libbfd's; */
  bool mapped[2];             /*   were they? */
  bool checked, sought;       /* what it refers to: for libbfd, by ourselves */
  bool told;                  /* that lines are known, but not all of their functions */
} gp_image_box;

typedef struct gp_data_box {
  gp_data data;
  gp_staging staging;         /* for files that are added as a whole */
  const gp_trace *trace;      /* of files that are read; kept alive by user value 2 */
  bool open;
} gp_data_box;

typedef struct gp_symbols_box {
  const gp_image_box *image;  /* kept alive by user value GP_SYMBOLS_IMAGE */
  gp_symfile listed, map;     /* the files that symbols came from, if any */
  gp_symtab symtab;
  gp_demangled shown;             /* names, demangled when somebody asks */
  gp_name_index names;             /* made when somebody asks; */
  gp_symbol_sources sources;         /*   so is this */
  bool named, sourced;        /* were they? */
  bool demangled;             /* names are shown demangled */
} gp_symbols_box;

/* user values of symbols: in a table by line, the functions that lines are of; objects
 * that stand for symbols, made when wanted */
enum { GP_SYMBOLS_IMAGE = 1, GP_SYMBOLS_TRACE, GP_SYMBOLS_FUNCTIONS, GP_SYMBOLS_OBJECTS,
       GP_SYMBOLS_PARTS,  /* of several objects: a table of their symbols, kept alive */
       GP_SYMBOLS_VALUES = GP_SYMBOLS_PARTS };

typedef struct gp_profile_box {
  gp_profile *profile;
  const gp_image_box *image;  /* kept alive by user value GP_PROFILE_IMAGE */
} gp_profile_box;

/* user values of a profile */
enum { GP_PROFILE_IMAGE = 1, GP_PROFILE_DATA, GP_PROFILE_SYMBOLS, GP_PROFILE_OBJECTS,
       GP_PROFILE_ARCS, GP_PROFILE_VALUES = GP_PROFILE_ARCS };

/* A field of an object: pushes its value. `object` is the box,
 * which is at stack index 1. */
typedef struct gp_object_field {
  const char *name;
  void (*push)(lua_State *L, const void *object);
} gp_object_field;

/* Makes a metatable: `meta` are metamethods, `methods` answer to o:method(). Pushes
 * the table in which o.key is looked up: whoever adds a function to it adds a method.
 * `get` is the function that looks up, a closure over that table and the metatable.
 * Setting a field is a Lua error. */
void gp_define_object(lua_State *L, const char *name, lua_CFunction get,
                      const luaL_Reg *meta, const luaL_Reg *methods);

/* Adds fields to the table on the top; the list ends with one without name. */
void gp_define_fields(lua_State *L, const gp_object_field *fields);

/* Adds methods to the objects that gp_define_object defined by that name. */
void gp_define_methods(lua_State *L, const char *name, const luaL_Reg *methods);

/* For functions that look up: the object that is argument 1, or a Lua error if it is
 * none of the right type. Leaves the object and the key on the stack. */
void *gp_check_self(lua_State *L);

/* object.key for objects that are no parts of others. */
int gp_get_field(lua_State *L);

/* nil and a message: "PATH: what is wrong". For results, not for raising. */
int gp_push_failure(lua_State *L, const char *path, const gp_error *error);

/* The trace at `index`, or NULL if there is nil. Whoever goes by it keeps it alive. */
const gp_trace *gp_opt_trace(lua_State *L, int index);

/* The open object at `index`, or a Lua error that says what is wrong with it. */
gp_image *gp_check_image(lua_State *L, int index);
gp_data *gp_check_data(lua_State *L, int index);
gp_symbols_box *gp_check_symbols(lua_State *L, int index);
gp_profile *gp_check_profile(lua_State *L, int index);

/* The object in a box that a part or an iteration keeps: open,
 * or a Lua error that blames no argument. */
const gp_data *gp_open_data(lua_State *L, const gp_data_box *box);
gp_symbols_box *gp_open_symbols(lua_State *L, gp_symbols_box *box);
gp_profile *gp_open_profile(lua_State *L, const gp_profile_box *box);

/* Pushes symbols without any, for those of the objects in the table at index 2 of the
 * stack, which are kept: they are of the image of the first. */
gp_symbols_box *gp_push_joined_box(lua_State *L);

/* Where the functions of symbols come from: looked up when somebody asks. */
const gp_symbol_sources *gp_sources_of_symbols(lua_State *L, gp_symbols_box *box);

/* Pushes the one object that stands for a node of the profile at stack index
 * `profile`. */
void gp_push_node(lua_State *L, int profile, uint32_t node);

/* Pushes the fields of a node that arguments `first` to `last` name, and returns how
 * many they are. */
int gp_push_node_fields(lua_State *L, int profile, uint32_t node, int first, int last);

/* A field of the table of options at `index`: whether it is set; its text, or NULL. */
bool gp_flag_option(lua_State *L, int index, const char *name);
const char *gp_text_option(lua_State *L, int index, const char *name);

/* Pushes a userdata that frees what it holds, and then sees to it that it holds what
 * is in the selections at `index` of the stack: tables of numbers of functions, by
 * stage; see lua_selection.c. */
gp_selections *gp_push_selections(lua_State *L, int index, size_t functions);

/* What follows a noun for so many: "1 arc", "2 arcs". */
static inline const char *gp_plural(size_t count) { return count == 1 ? "" : "s"; }

/* Raises the error that Lua raises if there is no memory: it does not tell where. */
_Noreturn int gp_raise_no_memory(lua_State *L);

/* Pushes a guard: an empty place for memory of malloc's, which is freed even if Lua
 * raises an error. So it is made before that memory is asked for. */
void **gp_push_guard(lua_State *L);

/* Puts a copy of the string that is in the guard on the top in the place of that, and
 * frees it. A Lua error if it is NULL. */
void gp_take_text(lua_State *L, void **guard);

/* The same with a column of numbers of rows: a table of `count`, counted from 1. */
void gp_take_rows(lua_State *L, void **guard, size_t count);

/* Pushes a userdata that frees the list of rows that it holds, which is empty. */
gp_rows *gp_push_row_list(lua_State *L);

/* --- parts of objects, see lua_iteration.c ------------------------------------ */

/* A part of an object: what fields are read from. */
typedef struct gp_part {
  lua_State *L;
  const struct gp_part_kind *kind;
  const void *owner;      /* what it is a part of, in the core */
  uint32_t id;            /* its row there */
  int whole;              /* the same for Lua, at that stack index */
} gp_part;

typedef struct gp_part_kind {
  const char *fields;     /* the registry has the table of them by that name */
  const void *(*open)(lua_State *L, int whole);  /* owner; a Lua error if it is closed */
  void (*push)(lua_State *L, const gp_part *p);  /* pushes the one object that is it */
  int symbols;            /* user value of the whole that has the symbols; 0: the whole */
} gp_part_kind;

/* The value of a field before it is Lua's: so that it can be written without. */
typedef struct gp_field_value {
  enum {
    GP_FIELD_NIL, GP_FIELD_BOOLEAN, GP_FIELD_INTEGER, GP_FIELD_NUMBER, GP_FIELD_TEXT,
    GP_FIELD_LABEL, GP_FIELD_PUSHED
  } type;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char *text;     /* lasts as long as the whole */
    const struct gp_label *label;
  } as;                   /* GP_FIELD_PUSHED: on the top of the Lua stack; in the rows of
                             gp_next_fields, at the stack index `integer` */
} gp_field_value;

static const gp_field_value gp_no_value = {GP_FIELD_NIL, {false}},
                            gp_pushed_value = {GP_FIELD_PUSHED, {false}};

static inline gp_field_value gp_boolean_value(bool boolean) {
  return (gp_field_value){GP_FIELD_BOOLEAN, {.boolean = boolean}};
}

static inline gp_field_value gp_integer_value(uint64_t integer) {
  return (gp_field_value){GP_FIELD_INTEGER, {.integer = (int64_t)integer}};
}

static inline gp_field_value gp_number_value(double number) {
  return (gp_field_value){GP_FIELD_NUMBER, {.number = number}};
}

static inline gp_field_value gp_text_value(const char *text) {
  return (gp_field_value){GP_FIELD_TEXT, {.text = text}};
}

/* Pushes a value, unless it is on the stack already. */
void gp_push_value(lua_State *L, gp_field_value v);

/* A field of a part. */
typedef struct gp_part_field {
  const char *name;
  gp_field_value (*get)(const gp_part *p);
} gp_part_field;

/* Adds fields to the table on the top; the list ends with one without name. */
void gp_define_part_fields(lua_State *L, const gp_part_field *fields);

/* The field of that name at argument `index`, from such a table there is at the top of
 * the stack; a Lua error if there is none. */
const gp_part_field *gp_check_part_field(lua_State *L, int index);

typedef struct gp_iteration {
  const gp_part_kind *kind;
  int order;              /* argument that says how the rows are to be sorted */
  gp_rows rows;           /* freed by the collector */
  size_t done;
  int field_count;        /* 0: objects are given */
  const gp_part_field *fields[];
} gp_iteration;

/* Pushes an iteration over parts of the object at stack index `whole`, still without
 * rows. Arguments behind `order` are names of fields: if there are any, these fields of
 * each part are given, and no objects are made. */
gp_iteration *gp_new_iteration(lua_State *L, const gp_part_kind *kind, int whole,
                               int order);

/* What order argument `index` asks for: the number in `names`, which end with NULL, of
 * one that the core has, 0 if there is nil; -1 if the rows are to be sorted: by another
 * field, or by a function. */
int gp_order_option(lua_State *L, int index, const char *const names[]);

/* Returns a function that goes over what is in argument 1: `next`, whose upvalues are the
 * argument, and a count that begins as 0. */
int gp_return_counting(lua_State *L, lua_CFunction next);

/* Returns, for a generic for, `next` with the object on the top of the stack as its
 * upvalue, which is closed when the loop is left. */
int gp_return_loop(lua_State *L, lua_CFunction next);

/* Returns, for a generic for, the iteration on the top of the stack, which has its rows
 * by now; a Lua error if there was no memory for them. Sorts them unless they are. */
int gp_return_iteration(lua_State *L, bool sorted);

/* The iteration that the function at `index` goes on with; NULL if there is another
 * function, or something else. */
gp_iteration *gp_test_iteration(lua_State *L, int index);

/* Pushes what such an iteration is over, and returns where. */
int gp_push_whole(lua_State *L, int index);

/* Reads the fields of the next row of an iteration over parts of what is at
 * stack index `whole`; false at the end. Values that are pushed hold the stack
 * index that they are at. */
bool gp_next_fields(lua_State *L, gp_iteration *each, int whole, gp_field_value *fields);

/* Pushes the object of a part from the table that is user value `table` of the whole,
 * making it if there is none: so that it equals itself and can be a key. */
void gp_push_part(lua_State *L, const gp_part *p, int table, const char *metatable);

/* The part whose object is argument 1; pushes the whole. */
gp_part gp_check_part(lua_State *L, const char *metatable);

/* object.key for parts. */
int gp_get_part_field(lua_State *L);

/* Pushes a table that does not keep its values alive. */
void gp_push_weak_table(lua_State *L);

/* --- symbols, see lua_symbol.c ------------------------------------------------- */

/* What is known of a symbol, by name: fields of functions, too. */
extern const gp_part_field gp_symbol_fields[];

/* A symbol's name as in the symbol table, with what a target puts before those of C, and
 * as reports show it. */
const char *gp_linker_name(const gp_symbols_box *box, uint32_t id);
const char *gp_shown_name(lua_State *L, gp_symbols_box *box, uint32_t id);

/* The latter of a part: a symbol, or a function that is one. */
gp_field_value gp_name_of_symbol(const gp_part *p);

/* symbols:each([order [, field...]]), symbols:lookup(address), symbols:symbol(id) */
int gp_iterate_symbols(lua_State *L);
int gp_look_symbol_up(lua_State *L);
int gp_push_symbol_of_number(lua_State *L);

/* --- labels, see lua_labels.c ---------------------------------------------------- */

/* What reports call a function, in parts: texts that last as long as what it is of, and
 * `numbers`. */
typedef struct gp_label {
  int count;
  int name;               /* the part that may be shortened, so that the line */
  size_t width;           /*   has so many columns at most; 0: that is not wanted */
  const char *mark;       /* stands where something was cut out */
  const char *part[8];
  char numbers[256];
} gp_label;

typedef struct gp_labels gp_labels;

/* The labels at `index`, or NULL if there is something else. */
const gp_labels *gp_test_labels(lua_State *L, int index);

/* A Lua error if what the labels are of was closed. */
void gp_check_labels_open(lua_State *L, const gp_labels *set);

/* Whether they are labels of that profile. */
bool gp_are_labels_of(const gp_labels *set, const gp_profile_box *profile);

/* Makes the label of the function or cycle of that number;
 * a Lua error if there is none. */
void gp_make_label(lua_State *L, const gp_labels *set, lua_Integer id, gp_label *made);

void gp_push_label(lua_State *L, const gp_label *made);

/* --- parts of profiles, see lua_parts.c ---------------------------------------- */

/* Iterations over parts of the profile at stack index 1: of what the methods of profiles
 * by these names return, with an order as argument 2. */
int gp_iterate_functions(lua_State *L);
int gp_iterate_nodes(lua_State *L);
int gp_iterate_cycles(lua_State *L);
int gp_iterate_arcs(lua_State *L);

/* What there is around a node: arcs into it and out of it, the functions of a cycle, in
 * the order of its entry; and the lines of a function. */
typedef enum gp_around {
  GP_AROUND_CALLERS, GP_AROUND_CALLEES, GP_AROUND_MEMBERS, GP_AROUND_LINES
} gp_around;

/* Returns, for a generic for, an iteration over what is around a node of the profile at
 * stack index 1, sorted as argument `order` says; names of fields come behind it. */
int gp_iterate_around(lua_State *L, gp_around what, uint32_t node, int order);

/* Pushes an iteration over the blocks of a function, or of a line, of the profile at
 * stack index `profile`, in the order in which they were met: address and executions
 * of each. Returns 1. */
int gp_push_blocks(lua_State *L, int profile, uint32_t symbol);

/* image:lines(): see lua_lines.c */
int gp_image_lines(lua_State *L);

/* --- what is in other files, see lua_separate.c ---------------------------------- */

/* To be called before the lines of an image are asked for: has the files looked for that
 * its debugging information is in, once. For `gnu_compat` libbfd looks by itself. That
 * names of inlined functions (`named`) are missing is told. A Lua error if the image gets
 * closed meanwhile. */
void gp_seek_lines(lua_State *L, const gp_image_box *box, bool gnu_compat, bool named);

/* Notes where the object of an image is: the one on the top. */
void gp_note_image(lua_State *L);

/* --- annotated source, see lua_annotation.c -------------------------------------- */

typedef struct gp_annotation_box {
  gp_annotation lines;
  bool gnu_compat;            /* what is known is what GNU gprof knows */
  bool open;
} gp_annotation_box;

const gp_annotation *gp_check_annotation(lua_State *L, int index);

/* annotation:print(stream, text, layout [, last]): see lua_margins.c */
int gp_print_annotation(lua_State *L);

/* Registration, by file: adds functions to the module's table on the stack's top. */
void gp_define_image(lua_State *L);
void gp_define_debug_file(lua_State *L);
void gp_define_data(lua_State *L);
void gp_define_records(lua_State *L);
void gp_define_slide(lua_State *L);
void gp_define_lines(lua_State *L);
void gp_define_symbols(lua_State *L);
void gp_define_merged_objects(lua_State *L);
void gp_define_symbol(lua_State *L);
void gp_define_selection(lua_State *L);
void gp_define_annotation(lua_State *L);
void gp_define_profile(lua_State *L);
void gp_define_labels(lua_State *L);
void gp_define_iteration(lua_State *L);
void gp_define_parts(lua_State *L);
void gp_define_memory(lua_State *L);
void gp_define_stream(lua_State *L);
void gp_define_flat(lua_State *L);
void gp_define_entries(lua_State *L);
void gp_define_index(lua_State *L);
void gp_define_files(lua_State *L);
void gp_define_process(lua_State *L);
void gp_define_options(lua_State *L);
void gp_define_trace(lua_State *L);

#endif
