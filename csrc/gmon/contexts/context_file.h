/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the parts of a context profile (see doc/contexts.md), and hands them to a sink.
 */
#ifndef GP_GMON_CONTEXTS_CONTEXT_FILE_H
#define GP_GMON_CONTEXTS_CONTEXT_FILE_H

#include "base/range.h"
#include "gmon/records.h"

/* The first bytes of a context profile, and the size of its header in bytes. */
#define GP_CONTEXT_MAGIC "gprofctx"
#define GP_CONTEXT_HEADER ((size_t)16)

/* The size of what precedes the content of a section: its kind and size. */
#define GP_CONTEXT_SECTION ((size_t)12)

/* The name of a context profile: the name of the gmon.out beside it, and this suffix. */
#define GP_CONTEXT_SUFFIX ".ctx"

#define GP_CONTEXT_VERSION 1
#define GP_CONTEXT_BYTE_ORDER UINT32_C(0x01020304)

/* Section kinds, as stored in the file. */
enum {
  GP_CONTEXT_END,
  GP_CONTEXT_PROCESS,
  GP_CONTEXT_MODULES,
  GP_CONTEXT_TABLE,
  GP_CONTEXT_SUM,
  GP_CONTEXT_FUNCTIONS,
  GP_CONTEXT_LINES,
  GP_CONTEXT_KINDS
};

/* Sizes in bytes: the fixed parts of these sections, a record in a table, and a line with
 * its executions. */
enum {
  GP_CONTEXT_PROCESS_SIZE = 80,
  GP_CONTEXT_MODULE_SIZE = 44,
  GP_CONTEXT_TABLE_SIZE = 40,
  GP_CONTEXT_RECORD_SIZE = 32,
  GP_CONTEXT_LINE_SIZE = 12
};

/* The number of roots, the contexts at which call paths begin. They are the first records
 * of a table. */
#define GP_CONTEXT_ROOTS 3
#define GP_CONTEXT_UNKNOWN_STACK 1

/* The value of `entered` in records that readers must ignore. */
#define GP_CONTEXT_IGNORED UINT32_MAX

/* Bytes in the reader's window: valid until the sink returns. */
typedef struct gp_context_text {
  const unsigned char *bytes;
  uint32_t size;
} gp_context_text;

typedef struct gp_context_process {
  uint64_t begin, written;  /* nanoseconds since 1970 */
  uint64_t limit, lost;
  uint64_t clock_error;
  gp_range covered;         /* range of the histogram in gmon.out, as loaded */
  uint32_t rate;            /* 0 if no samples were taken */
  uint32_t flags;
  gp_context_text command;
} gp_context_process;

typedef struct gp_context_module {
  gp_range loaded;          /* all segments */
  gp_range code;            /* executable segments */
  uint64_t bias;            /* loaded address minus link-time address */
  uint32_t closed;
  unsigned char build_id[GP_DATA_BUILD_ID_BYTES];  /* all 0 if the ID is longer */
  uint32_t build_id_size;   /* as in the file */
  gp_context_text path;
} gp_context_module;

typedef struct gp_context_table {
  uint32_t thread;          /* number of the last thread that used the table */
  uint32_t threads, deferred;
  uint64_t cpu;             /* nanoseconds */
  uint64_t signals, inside;
  gp_context_text name;
} gp_context_table;

/* A call or, if `self` is 0, a sample. */
typedef struct gp_context_record {
  uint32_t number, context, entered;
  uint64_t from, self, count;
} gp_context_record;

/* Receives the parts in the order of the file. A function that fails stores a message in
 * the reader's gp_error, and returns false. */
typedef struct gp_context_sink {
  void *into;               /* first argument of the functions */
  bool (*process)(void *into, const gp_context_process *process);
  bool (*module)(void *into, const gp_context_module *module, bool is_program);
  bool (*last_module)(void *into);  /* after all modules */
  bool (*line)(void *into, uint64_t address, uint64_t executions);  /* of a Lua program */
  bool (*table)(void *into, const gp_context_table *table);
  bool (*record)(void *into, const gp_context_record *record);
} gp_context_sink;

/* Reads a file from its beginning, and fills in the file's kind. Skips roots, and records
 * that must be ignored. Converts the addresses of a Lua program to those of the reader's
 * list of functions, and leaves out the module's path and build ID. The checksum is at
 * the end of the file, so the sink has received everything before a wrong checksum is
 * found. */
bool gp_context_file_read(gp_records *r, const gp_context_sink *sink);

/* What the first bytes of a file tell about its process, and the program in it. */
typedef struct gp_context_origin {
  bool has_process, has_program;
  bool executes; /* the process executed another program next */
  uint64_t process, parent, begin, written;
  gp_context_text build_id, path;   /* of the program, in the bytes */
} gp_context_origin;

/* Finds what `size` bytes tell: nothing if they do not begin a context profile, or if it
 * is that of a Lua program, which begins with another section. */
gp_context_origin gp_context_find_origin(const unsigned char *bytes, size_t size);

/* Fails if the content of the section at `offset` is larger than what follows. */
bool gp_context_check_size(const gp_reader *reader, uint64_t offset, uint64_t size,
                           gp_error *error);

/* Whether a path leads to a regular file that begins like a context profile, without
 * links. */
bool gp_is_context_profile(const char *path);

/* Adds to a count. Fails if the sum exceeds 63 bits. */
bool gp_context_add(const gp_records *r, uint64_t *sum, uint64_t more);

#endif
