/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file table of a line table. */
#include "debug/line_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Content types of an entry in DWARF 5 (DW_LNCT_). */
enum { CONTENT_path = 1, CONTENT_directory_index = 2 };

/* An entry of the directory table or the file table. */
typedef struct table_entry {
  gp_value name;
  uint64_t directory;
} table_entry;

static bool fail_memory(gp_line_files *files) {
  files->dwarf->line.no_memory = true;
  return false;
}

static bool add_directory(gp_line_files *files, table_entry entry) {
  if (!GP_RESERVE(&files->directory_capacity, files->directory_count + 1,
                  GP_COLUMN(files->directory)))
    return fail_memory(files);
  files->directory[files->directory_count++] = entry.name;
  return true;
}

static bool add_file(gp_line_files *files, table_entry entry) {
  if (!GP_RESERVE(&files->capacity, files->count + 1, GP_COLUMN(files->name),
                  GP_COLUMN(files->directory_of)))
    return fail_memory(files);
  files->name[files->count] = entry.name;
  files->directory_of[files->count++] = entry.directory;
  return true;
}

typedef bool add_entry(gp_line_files *files, table_entry entry);

/* --- DWARF 2 to 4 -------------------------------------------------------------- */

/* Reads the entry at the cursor. False at the end of the table, which an empty name
 * marks. */
static bool take_entry(gp_cursor *cursor, uint64_t offset, bool file,
                       table_entry *entry) {
  if (gp_left(cursor) == 0) cursor->bad = true;
  if (cursor->bad) return false;
  if (*cursor->at == 0) {
    cursor->at++;
    return false;
  }
  uint64_t name = offset + (uint64_t)(cursor->at - cursor->start);
  *entry = (table_entry){{GP_VALUE_INLINE, name}, 0};
  gp_skip_string(cursor);
  if (!file) return true;
  entry->directory = gp_take_uleb(cursor);
  gp_take_uleb(cursor);  /* modification time */
  gp_take_uleb(cursor);  /* size in bytes */
  return true;
}

static bool read_old(gp_line_files *files, gp_cursor *cursor, uint64_t offset) {
  table_entry entry;
  while (take_entry(cursor, offset, false, &entry))
    if (!add_directory(files, entry)) return false;
  while (take_entry(cursor, offset, true, &entry))
    if (!add_file(files, entry)) return false;
  return !cursor->bad;
}

bool gp_line_files_define(gp_line_files *files, gp_cursor *cursor, uint64_t offset) {
  table_entry entry;
  return take_entry(cursor, offset, true, &entry) && !cursor->bad &&
         add_file(files, entry);
}

/* --- DWARF 5 ------------------------------------------------------------------- */

/* Reads an entry. `format` is a list of pairs: the content type of a value and its
 * form. */
static bool read_entry(const gp_line_files *files, gp_cursor *cursor, gp_cursor format,
                       uint64_t offset, table_entry *entry) {
  *entry = (table_entry){{GP_VALUE_NONE, 0}, 0};
  while (gp_left(&format) > 0) {
    gp_value value;
    uint64_t content = gp_take_uleb(&format), form = gp_take_uleb(&format);
    if (!gp_dwarf_value(cursor, form, &files->layout, 0, &value)) return false;
    if (value.kind == GP_VALUE_INLINE) value.number += offset;
    if (content == CONTENT_path) entry->name = value;
    if (content == CONTENT_directory_index) entry->directory = value.number;
  }
  return !cursor->bad;
}

static bool read_table(gp_line_files *files, gp_cursor *cursor, uint64_t offset,
                       add_entry *add) {
  table_entry entry;
  gp_cursor format = *cursor;
  format.at++;
  for (unsigned pairs = gp_take_u8(cursor); pairs > 0; pairs--) {
    gp_take_uleb(cursor);
    gp_take_uleb(cursor);
  }
  format.end = cursor->at;
  uint64_t count = gp_take_uleb(cursor);
  for (; count > 0 && !cursor->bad; count--) {
    const unsigned char *before = cursor->at;
    if (!read_entry(files, cursor, format, offset, &entry) || !add(files, entry))
      return false;
    /* if entries take no bytes, the size of the table does not limit `count` */
    if (cursor->at == before) return false;
  }
  return !cursor->bad;
}

bool gp_line_files_read(gp_line_files *files, gp_cursor *cursor, uint64_t offset) {
  files->first = files->layout.version >= 5 ? 0 : 1;
  return files->layout.version >= 5
             ? read_table(files, cursor, offset, add_directory) &&
                   read_table(files, cursor, offset, add_file)
             : read_old(files, cursor, offset);
}

void gp_line_files_free(gp_line_files *files) {
  free(files->directory);
  free(files->name);
  free(files->directory_of);
  memset(files, 0, sizeof *files);
}

/* --- names --------------------------------------------------------------------- */

static char *string_of(gp_line_files *files, gp_value value) {
  return gp_dwarf_string(files->dwarf, &files->dwarf->line, &files->layout, value);
}

/* Concatenates two directories, either of which may be NULL, and a name. */
static char *concatenate(const char *comp_dir, const char *directory, const char *name) {
  char *joined;
  int length = asprintf(&joined, "%s%s%s%s%s", comp_dir ? comp_dir : "",
                        comp_dir ? "/" : "", directory ? directory : "",
                        directory ? "/" : "", name);
  return length < 0 ? NULL : joined;
}

/* Joins the name of the file in row `row` with its directories. Takes ownership of the
 * name. */
static char *join(gp_line_files *files, size_t row, char *name) {
  if (name[0] == '/' || name[0] == '\0') return name;
  uint64_t place = files->directory_of[row] - files->first;
  char *directory = place < files->directory_count
                        ? string_of(files, files->directory[place]) : NULL;
  gp_dwarf *dwarf = files->dwarf;
  char *comp_dir = directory && directory[0] == '/'
                       ? NULL : gp_dwarf_string(dwarf, &dwarf->info,
                                                &files->comp_dir_layout, files->comp_dir);
  char *joined = concatenate(comp_dir, directory, name);
  free(comp_dir);
  free(directory);
  free(name);
  return joined;
}

char *gp_line_files_name(gp_line_files *files, uint64_t number) {
  uint64_t row = number - files->first;  /* 0 - 1 wraps, and is out of range */
  char *name = row < files->count ? string_of(files, files->name[row]) : NULL;
  if (!name) return strdup("<unknown>");
  name = join(files, (size_t)row, name);
  uint64_t size = name ? strlen(name) : 0, *budget = &files->dwarf->string_budget;
  *budget -= size < *budget ? size : *budget;
  return name;
}
