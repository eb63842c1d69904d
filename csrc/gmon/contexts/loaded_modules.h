/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The modules of a process: where the program and its libraries were loaded.
 */
#ifndef GP_GMON_CONTEXTS_LOADED_MODULES_H
#define GP_GMON_CONTEXTS_LOADED_MODULES_H

#include "gmon/contexts/context_file.h"

typedef struct gp_loaded_module {
  gp_range loaded;      /* all segments */
  gp_range code;        /* executable segments */
  uint64_t bias;        /* loaded address minus link-time address */
  uint32_t number;      /* chosen by the caller */
} gp_loaded_module;

typedef struct gp_loaded_modules {
  size_t count, capacity;
  gp_loaded_module *rows;   /* sorted and disjoint after gp_loaded_modules_sort */
} gp_loaded_modules;

/* Appends a module. Fails if there is no memory. */
bool gp_loaded_modules_add(gp_loaded_modules *modules, const gp_context_module *m,
                           uint32_t number, gp_error *error);

/* Sorts the modules, which were all read from the reader's current section. Fails if they
 * overlap. */
bool gp_loaded_modules_sort(gp_loaded_modules *modules, const gp_records *r);

/* Returns the module at a loaded address; NULL if there is none. */
const gp_loaded_module *gp_loaded_modules_find(const gp_loaded_modules *modules,
                                               uint64_t address);

void gp_loaded_modules_free(gp_loaded_modules *modules);

#endif
