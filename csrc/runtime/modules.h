/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program and its shared libraries, with their addresses. A closed library remains
 * known, and its addresses are reserved, so that no other library is loaded there. Only
 * libraries that the C library closes without dlclose can be replaced, those closed after
 * the limit of reservations was reached, and those whose place was taken at once.
 */
#ifndef GPROF_RUNTIME_MODULES_H
#define GPROF_RUNTIME_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct module {
  uintptr_t bias;              /* loaded address minus link-time address */
  uintptr_t low, high;         /* range of all segments, as loaded */
  uintptr_t code, code_end;    /* range of the executable segments, as loaded */
  const unsigned char *unwind; /* .eh_frame_hdr; NULL if there is none */
  size_t unwind_size;
  unsigned char build_id[32];
  unsigned build_id_size; /* 0 if unknown */
  bool closed;
  bool reserved; /* it is closed, and nothing else can be loaded at its addresses */
  bool replaced; /* another library was loaded at some of its addresses, before or after:
                    records at these addresses may be of either */
  bool listed;   /* in the profile that is being written */
  unsigned seen; /* number of the last update that found the module */
  const char *path;
  struct module *next;
  struct module *next_reserved;
} module;

/* The list of modules; the program is the first. Modules with reserved addresses move to
 * a list of their own, so that a program that loads libraries again and again does not
 * search an ever longer list. A module that moves is in both lists for a moment, and
 * keeps its `next` for those who read the list. */
extern module *rec_modules, *rec_reserved_modules;

/* Other threads may close a module. */
static inline bool is_closed(const module *m) {
  return __atomic_load_n(&m->closed, __ATOMIC_ACQUIRE);
}

/* The module that an address belongs to; NULL if there is none. */
const module *rec_module_at(uintptr_t address);

/* Whether the C library has an object at the addresses of a module, in any namespace.
 * False if the C library does not say. */
bool rec_is_loaded(const module *m);

/* The start of the function that contains an address, from the unwind table; 0 if
 * unknown. Preserves vector registers. */
uintptr_t rec_function_at(uintptr_t address);

/* The unwind table of an object: .eh_frame_hdr, and the bytes from there to the end of
 * the memory with unwind information. */
typedef struct unwind_table {
  const unsigned char *head; /* NULL if there is none */
  size_t size;
} unwind_table;

/* Finds the table for an address. Changes vector registers, which signal handlers may. */
unwind_table rec_unwind_table(uintptr_t address);

/* Returns the unwind information of the function that contains an address, which ends
 * before `*end`, and sets its start; NULL if unknown. */
const unsigned char *rec_unwind_entry(unwind_table table, uintptr_t address,
                                      uintptr_t *start, const unsigned char **end);

/* Updates the list with modules that were loaded or closed. Not safe in signal
 * handlers. */
void rec_update_modules(void);

/* Keeps other threads from updating the list, for instance during a fork: in the child,
 * nobody would unlock it, nor the C library's list, which an update reads. */
void rec_lock_modules(void);
void rec_unlock_modules(void);

/* Keeps libraries, and their unwind tables, from being closed until they are released:
 * for the recorder's own thread. False if the program is closing one. */
bool rec_hold_libraries(void);
void rec_release_libraries(void);

/* Called before and after the program closes a library. */
void rec_begin_closing(void);
void rec_end_closing(void);

/* In a forked child, no other thread holds or closes libraries. */
void rec_forget_holders(void);

/* Adds modules that were loaded since the last update. Safe in signal handlers; only one
 * thread at a time may do so. */
void rec_find_loaded_modules(void);

#endif
