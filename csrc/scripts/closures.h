/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps closures and prototypes to functions, by address: much faster than asking Lua for
 * the source and lines of a closure, and reading its bytecode.
 *
 * An address may be used again once what is there is collected. So the state's allocator
 * is replaced by one that forgets freed addresses and calls the former one. It also frees
 * the stacks of coroutines that are collected, and forgets places in collected bytecode.
 */
#ifndef GPROF_SCRIPTS_CLOSURES_H
#define GPROF_SCRIPTS_CLOSURES_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scripts/call_sites.h"
#include "scripts/coroutine_stacks.h"

/* The first fields of Lua's CallInfo. scr_finds_calls checks that they are right. */
typedef struct scr_call {
  const void *const *function;      /* its place on the stack */
  const void *top;
  const struct scr_call *previous;  /* the caller */
  const struct scr_call *next;
  const void *instruction;          /* the next one; in C functions, something else */
} scr_call;

static inline const scr_call *scr_call_of(const lua_Debug *ar) {
  return (const scr_call *)(const void *)ar->i_ci;
}

/* Returns the closure that `ar` is about, as lua_topointer does, in a fraction of the
 * time of lua_getinfo. */
static inline const void *scr_called_closure(const lua_Debug *ar) {
  return *scr_call_of(ar)->function;
}

/* Whether scr_call is right for this version of Lua. To be called by a C function that a
 * Lua function has called. */
bool scr_finds_calls(lua_State *L);

typedef struct scr_known {
  const void *address;  /* of a closure or prototype; NULL: free */
  uint32_t number;      /* of its function */
} scr_known;

enum { SCR_KNOWN = 1 << 12, SCR_KNOWN_PROTOTYPES = 1 << 10 };

typedef struct scr_closures {
  lua_Alloc allocate;   /* the former allocator, and its argument */
  void *data;
  scr_stacks *stacks;   /* of coroutines; NULL: the recording has ended */
  size_t thread_size, prototype_size;   /* bytes of a coroutine and of a prototype */
  bool knows_closures;  /* otherwise `known` is empty, and frees cost less */
  scr_known known[SCR_KNOWN];                     /* closures */
  scr_known prototypes[SCR_KNOWN_PROTOTYPES];
  scr_sites sites;      /* of calls */
} scr_closures;

/* Replaces the allocator of a state. Returns NULL if there is no memory. */
scr_closures *scr_closures_new(lua_State *L, scr_stacks *stacks, bool knows_closures);

/* Restores the allocator. */
void scr_closures_free(scr_closures *closures, lua_State *L);

/* Returns the entry of a closure, which may be that of another one. */
static inline scr_known *scr_closures_at(scr_closures *closures, const void *closure) {
  const uintptr_t address = (uintptr_t)closure;
  return &closures->known[(address >> 4 ^ address >> 16) % SCR_KNOWN];
}

/* The same for a prototype. */
static inline scr_known *scr_closures_prototype(scr_closures *closures,
                                                const void *prototype) {
  const uintptr_t address = (uintptr_t)prototype;
  return &closures->prototypes[(address >> 4 ^ address >> 14) % SCR_KNOWN_PROTOTYPES];
}

#endif
