/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of fields as C structs, so that reports can write them without creating Lua
 * values. */
#ifndef GP_LUA_VALUE_H
#define GP_LUA_VALUE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/short_name.h"

/* The name of a function or cycle in reports: a sequence of strings, called parts, in
 * `numbers` or in the symbol table. The first part is the name. */
typedef struct gp_label {
  int count;
  gp_name_form form;      /* of the name */
  size_t width;           /* maximum width of the line, in columns; 0: unlimited */
  const char *mark;       /* replaces what is cut out of the name to fit */
  const gp_shown_parts *shown;  /* what a shortened name must show, or NULL */
  const void *owner;      /* what the parts belong to */
  void (*check)(lua_State *L, const void *owner);  /* a Lua error if it is closed */
  const char *part[8];
  char numbers[256];
} gp_label;

typedef struct gp_field_value {
  enum {  /* from GP_FIELD_TEXT on, it takes memory to make the Lua value */
    GP_FIELD_NIL, GP_FIELD_BOOLEAN, GP_FIELD_INTEGER, GP_FIELD_NUMBER, GP_FIELD_TEXT,
    GP_FIELD_SHORT, GP_FIELD_LABEL, GP_FIELD_PUSHED
  } type;
  uint32_t length;        /* of a text in bytes, if it is known; 0: its NUL ends it */
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char *text;     /* valid as long as the object is open */
    char chars[16];       /* GP_FIELD_SHORT: a text of `length` bytes */
    const gp_label *label;
  } as;                   /* GP_FIELD_PUSHED: the value is on the top of the Lua stack */
} gp_field_value;

static const gp_field_value gp_no_value = {.type = GP_FIELD_NIL},
                            gp_pushed_value = {.type = GP_FIELD_PUSHED};

static inline gp_field_value gp_boolean_value(bool boolean) {
  return (gp_field_value){.type = GP_FIELD_BOOLEAN, .as.boolean = boolean};
}

static inline gp_field_value gp_integer_value(uint64_t integer) {
  return (gp_field_value){.type = GP_FIELD_INTEGER, .as.integer = (int64_t)integer};
}

static inline gp_field_value gp_number_value(double number) {
  return (gp_field_value){.type = GP_FIELD_NUMBER, .as.number = number};
}

static inline gp_field_value gp_text_value(const char *text) {
  return (gp_field_value){.type = GP_FIELD_TEXT, .as.text = text};
}

/* A text of known length. */
static inline gp_field_value gp_bytes_value(const char *text, uint32_t length) {
  return (gp_field_value){.type = GP_FIELD_TEXT, .length = length, .as.text = text};
}

/* A text of one byte; empty if the byte is NUL. */
static inline gp_field_value gp_letter_value(char letter) {
  return (gp_field_value){
      .type = GP_FIELD_SHORT, .length = letter != 0, .as.chars = {letter}};
}

static inline gp_field_value gp_label_value(const gp_label *label) {
  return (gp_field_value){.type = GP_FIELD_LABEL, .as.label = label};
}

/* Pushes a value, unless it is GP_FIELD_PUSHED. */
void gp_push_value(lua_State *L, gp_field_value v);

/* Pushes a label as a string, with its name in its form and at most `columns` wide. */
void gp_push_label(lua_State *L, const gp_label *label, size_t columns);

#endif
