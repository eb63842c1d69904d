/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of a Lua program. A Lua function is identified by its source, its lines
 * and its bytecode, as its closures come and go; a C function by its address.
 */
#ifndef GPROF_SCRIPTS_FUNCTIONS_H
#define GPROF_SCRIPTS_FUNCTIONS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/crc32.h"
#include "scripts/closures.h"
#include "scripts/line_counts.h"

/* A line of the function with a number. */
typedef struct scr_place {
  uint32_t function, line;
} scr_place;

enum { SCR_MOST_CREATED = 4 };

typedef struct scr_function {
  char *source;         /* "@FILE", "=NAME" or a shortened text; NULL for C functions */
  char *text;           /* of a chunk that is a text; NULL if not kept */
  char *name;           /* NULL if not known */
  uint32_t rank;        /* of the name: the lower, the better */
  lua_CFunction entry;  /* NULL for Lua functions */
  uint32_t first, last; /* lines of the definition; 0 and 0 for main chunks */
  uint32_t signature;   /* numbers of upvalues and parameters */
  uint32_t code;        /* checksum of its bytecode; 0: not known. Functions that are
                           defined in the same lines may differ in these two */
  uint32_t begun;       /* of a zone: the line where it was first begun */
  bool goes_on;         /* likewise: in the next round of a loop. See zones.h */
  uint32_t asked;       /* calls that were asked for a name */
  scr_lines lines;      /* empty unless lines are counted */
  scr_place created[SCR_MOST_CREATED];  /* the first places that have created coroutines
                                           with it; the rest has line 0 */
} scr_function;

/* A function is told apart by its bytecode from this many others in the same lines; the
 * rest of them is one function. So the memory for functions that a program generates is
 * limited. The same applies to the zones of a file. */
enum { SCR_PLACES = 1 << 13, SCR_MOST_ALIKE = 1 << 12 };

typedef struct scr_functions {
  scr_function *list;
  size_t count, capacity;
  uint32_t *slots;      /* a hash table of numbers plus 1; 0: free */
  size_t slot_count;    /* a power of two */
  size_t text_size;     /* bytes of all texts */
  bool counts_lines;    /* set before functions are added */
  bool knows_prototypes;  /* likewise: see scr_prototype_of */
  bool knows_calls;     /* likewise: see scr_call */
  const void *zone_closure;   /* the function zone (see zones.h); NULL: there is none */
  uint32_t zone;        /* its number; SCR_NONE until it is called */
  gp_crc32 crc;
  uint16_t alike[SCR_PLACES];  /* Lua functions by a hash of all but their bytecode */
} scr_functions;

bool scr_functions_init(scr_functions *functions);
void scr_functions_free(scr_functions *functions);

/* Returns the number of the function that `ar` is about, which is running. SCR_NONE if
 * there is no memory. */
uint32_t scr_function_number(scr_functions *functions, scr_closures *closures,
                             lua_State *L, lua_Debug *ar);

/* The same for the function at the top of the stack, which is popped. */
uint32_t scr_function_at_top(scr_functions *functions, scr_closures *closures,
                             lua_State *L);

/* The same as scr_function_number. Also learns the name by which the function was called,
 * from the first calls: the same function may be called by several names. */
enum { SCR_MOST_ASKED = 16 };
uint32_t scr_function_called(scr_functions *functions, scr_closures *closures,
                             lua_State *L, lua_Debug *ar);

/* Returns the number of a C function, with a name. SCR_NONE if there is no memory. */
uint32_t scr_function_c(scr_functions *functions, lua_CFunction entry, const char *name);

/* The number of a zone (see zones.h) in the source file of a function, which `ar` is
 * about, with what lua_getinfo gives for "Sl". Its name is SCR_ZONE and that of the zone,
 * or SCR_OTHERS if there are many. SCR_NONE if there is no memory. */
#define SCR_ZONE "zone "
#define SCR_OTHERS "(other names)"
uint32_t scr_function_zone(scr_functions *functions, const lua_Debug *ar,
                           const char *name);

/* Returns the number of the function at the top of the stack, and pops it. SCR_NONE
 * if it has not been called. */
uint32_t scr_function_find(scr_functions *functions, lua_State *L);

/* Names a function; false if there is no memory. A name of rank 0 is the best. */
bool scr_function_name(scr_function *f, const char *name, uint32_t rank);

#endif
