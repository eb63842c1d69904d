/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of fields, before they are Lua's: reports write them without making Lua values
 * of them.
 */
#ifndef GP_LUA_VALUE_H
#define GP_LUA_VALUE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What reports call a function, in parts: texts that last as long as what they are of,
 * and `numbers`. */
typedef struct gp_label {
  int count;
  int name;               /* the part that is shortened to make the line fit */
  size_t width;           /*   into this many columns; 0: it is not */
  const char *mark;       /* stands where something was cut out */
  const char *part[8];
  char numbers[256];
} gp_label;

typedef struct gp_field_value {
  enum {
    GP_FIELD_NIL, GP_FIELD_BOOLEAN, GP_FIELD_INTEGER, GP_FIELD_NUMBER, GP_FIELD_TEXT,
    GP_FIELD_LABEL, GP_FIELD_PUSHED
  } type;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char *text;     /* lasts as long as the object whose field it is */
    const gp_label *label;
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

static inline gp_field_value gp_label_value(const gp_label *label) {
  return (gp_field_value){GP_FIELD_LABEL, {.label = label}};
}

/* Pushes a value, unless it is on the stack already. */
void gp_push_value(lua_State *L, gp_field_value v);

/* Pushes a label as a string. */
void gp_push_label(lua_State *L, const gp_label *label);

#endif
