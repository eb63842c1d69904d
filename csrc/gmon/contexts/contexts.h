/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of context profiles (see doc/contexts.md).
 *
 * The sum of several context profiles is a context profile again. Addresses in a module
 * are summed as link-time addresses, so each process may load the modules at other
 * addresses. Call paths of tables with the same name are joined. The written sum does not
 * depend on the order in which its parts were added.
 */
#ifndef GP_GMON_CONTEXTS_CONTEXTS_H
#define GP_GMON_CONTEXTS_CONTEXTS_H

#include "base/hash.h"
#include "base/writer.h"
#include "gmon/contexts/context_file.h"

/* A text of the sum, allocated. */
typedef struct gp_contexts_text {
  unsigned char *bytes;
  uint32_t size;
} gp_contexts_text;

/* A module. It is identified by its link-time ranges and its build ID; by its ranges and
 * its path if it has no build ID. */
typedef struct gp_contexts_module {
  gp_range segments, code;      /* as linked */
  uint32_t closed;
  unsigned char build_id[GP_DATA_BUILD_ID_BYTES];
  uint32_t build_id_size;
  gp_contexts_text path;        /* of all paths of a build ID, the first in byte order */
  gp_key key;
  uint32_t next;                /* next module with the same key; GP_NONE: the last */
} gp_contexts_module;

/* The sum of all tables with the same name; with `by_thread`, of those with the same name
 * and number of the thread. */
typedef struct gp_contexts_table {
  uint32_t deferred;
  uint32_t thread;              /* number of the thread; 0 unless `by_thread` */
  uint64_t threads, cpu, signals, inside;
  gp_contexts_text name;
  uint32_t root;                /* row of its first root; the others follow */
  gp_key key;
  uint32_t next;                /* next table with the same key; GP_NONE: the last */
} gp_contexts_table;

/* Addresses: as linked, or as loaded if they are in no module. */
typedef struct gp_contexts_places {
  size_t count, capacity;
  uint32_t *module;             /* row of the module; GP_NONE: no module */
  uint64_t *address;
  gp_hash index;
} gp_contexts_places;

/* Records of all tables. `context` and `entered` are rows of records; neither is higher
 * than the record's own row. With `by_thread`, records of a table may be equal. */
typedef struct gp_contexts_records {
  size_t count, capacity;
  uint32_t *context;
  uint32_t *entered;            /* GP_NONE in samples */
  uint32_t *from, *self;        /* rows of places; `self` is GP_NONE in samples */
  uint64_t *counts;
  size_t indexed;               /* rows in the index, the first ones: records of a thread
                                   are indexed once others can join them */
  gp_hash index;
} gp_contexts_records;

typedef struct gp_contexts {
  gp_layout layout;
  gp_script_functions functions;    /* of the program, if it is a Lua program; set before
                                       files are added */
  bool by_thread;               /* set before files are added: see gp_contexts_table. Such
                                   a sum cannot be written */
  uint64_t processes;           /* 0: nothing was added yet */
  uint64_t calls, ticks, threads;   /* totals. An overflow is refused, because readers of
                                       the sum compute them, too */
  gp_context_process process;   /* `covered` is as linked; `command` is unused */
  gp_contexts_text command;     /* empty if the processes had different command lines */
  size_t module_count, module_capacity;
  gp_contexts_module *modules;  /* the program is the first */
  gp_hash module_index;
  uint64_t module_bytes;        /* total size of the modules' ranges in the sum */
  size_t table_count, table_capacity;
  gp_contexts_table *tables;
  gp_hash table_index;
  gp_contexts_places places;
  gp_contexts_records records;
  size_t line_count, line_capacity;
  uint64_t *executions;         /* of a Lua program: by line, executions plus 1; 0 if they
                                   were not counted */
} gp_contexts;

/* In a sum, the range of addresses reserved for a module exceeds the module's size by at
 * most this many bytes. */
#define GP_CONTEXTS_GAP UINT64_C(0x3000)

/* Where the modules of a sum begin. No program has code here, so addresses outside all
 * modules need not be changed. */
#define GP_CONTEXTS_BASE (UINT64_C(1) << 63)

/* Initializes an empty sum. Its address must not change afterwards. */
void gp_contexts_init(gp_contexts *sum, gp_layout layout);
void gp_contexts_free(gp_contexts *sum);

/* Adds a file. Sets *counts to what the file contains. After an error, the sum can only
 * be freed. */
bool gp_contexts_add(gp_contexts *sum, const char *path, gp_context_counts *counts,
                     gp_error *error);

/* Like gp_contexts_add, but reads from `reader`, which it closes. Errors are reported to
 * the reader's gp_error. */
bool gp_contexts_add_from(gp_contexts *sum, gp_reader *reader, gp_context_counts *counts);

/* Writes the sum, to which at least one file was added. Sets *id to the number that
 * the header of the gmon.out beside it must have. Errors are reported to the writer's
 * gp_error. */
bool gp_contexts_put(const gp_contexts *sum, gp_writer *writer, uint64_t *id);

#endif
