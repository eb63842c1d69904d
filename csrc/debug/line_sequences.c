/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of all line tables that tell of wanted code. */
#include "debug/line_sequences.h"

#include <string.h>

#include "base/array.h"
#include "debug/line_tables.h"

/* Sequences that do not overlap tell of each wanted range once, and of more where rows
 * divide it; some overlap, as linkers throw code away. If so many times as many rows
 * would be kept, sequences tell of the same code over and over again. */
#define MOST_OVERLAP 8

typedef struct reading {
  gp_line_sequences *into;
  uint64_t first;           /* code below this address is dubious */
  const gp_range *wanted;
  size_t wanted_count;
  bool as_libbfd;           /* see linemap.h */
  size_t next;              /* the first wanted range that ends above the last row */
  uint64_t most;            /* rows to keep; */
  bool full;                /*   there would be more: tables are of no use */
  gp_line_program *lines;          /* the table that is being read */
  gp_source_names *files;
  size_t file_count;        /* of the table; 0 until one is wanted */
  size_t file_capacity;
  uint32_t *file;           /* per file its number in `files`, or GP_NONE */
} reading;

/* --- files --------------------------------------------------------------------- */

/* Sets numbers of files up, none known yet. */
static bool start_files(reading *read) {
  read->file_count = gp_line_program_file_count(read->lines);
  if (read->file_count == 0) return true;
  if (read->file_count > read->file_capacity) {
    if (!gp_resize(&read->file, read->file_count, sizeof *read->file)) return false;
    read->file_capacity = read->file_count;
  }
  memset(read->file, 0xff, read->file_count * sizeof *read->file);
  return true;
}

/* The number of a row's file: GP_NONE if its name is empty. Where the program sets none,
 * it is number 1; libbfd takes the first of the table, which is 0 since DWARF 5. */
static bool find_file(reading *read, const gp_line_row *row, uint32_t *number) {
  if (read->file_count == 0 && !start_files(read)) return false;
  uint64_t file = row->file;
  if (!row->file_set && read->as_libbfd) file = gp_line_program_first_file(read->lines);
  if (file < read->file_count && (*number = read->file[file]) != GP_NONE) return true;
  char *name = gp_line_program_file(read->lines, file);
  *number = GP_NONE;
  bool done = name && (name[0] == '\0' || gp_source_names_add(read->files, name, number));
  free(name);
  if (file < read->file_count) read->file[file] = *number;
  return done;
}

/* --- rows ---------------------------------------------------------------------- */

/* Keeps what is wanted of a row's code. */
static bool keep(reading *read, const gp_line_row *row, uint64_t high) {
  uint32_t file;
  read->full |= read->into->rows.count >= read->most;
  if (row->line == 0 || read->full) return true;
  for (size_t i = read->next; i < read->wanted_count && read->wanted[i].low < high; i++) {
    gp_range part = gp_range_clip(read->wanted[i], (gp_range){row->address, high});
    if (!find_file(read, row, &file)) return false;
    if (file != GP_NONE && !gp_line_map_append(&read->into->rows, part, file, row->line))
      return false;
  }
  return true;
}

/* Takes a row whose code ends at `high`. Most rows are not wanted: that is seen soon. */
static inline bool take_row(reading *read, const gp_line_row *row, uint64_t high) {
  while (read->next < read->wanted_count && read->wanted[read->next].high <= row->address)
    read->next++;
  return read->next == read->wanted_count || read->wanted[read->next].low >= high ||
         keep(read, row, high);
}

static bool add_sequence(gp_line_sequences *rows, gp_sequence sequence) {
  if (!gp_make_room(&rows->sequence, &rows->capacity, rows->count,
                    sizeof *rows->sequence))
    return false;
  rows->sequence[rows->count++] = sequence;
  return true;
}

/* Keeps a sequence if any of its code is wanted, whether that has a line or not. */
static bool keep_sequence(reading *read, gp_sequence sequence) {
  size_t i = gp_range_above(read->wanted, read->wanted_count, sequence.low);
  if (i == read->wanted_count || read->wanted[i].low >= sequence.high) return true;
  sequence.last = read->into->rows.count;
  sequence.dubious |= sequence.low < read->first;
  return add_sequence(read->into, sequence);
}

/* Reads the sequence that begins with the row. */
static bool read_sequence(reading *read, const gp_line_row *row) {
  gp_sequence sequence = {row->address, row->address, read->into->rows.count, 0, false};
  gp_line_row last = *row;
  read->next = gp_range_above(read->wanted, read->wanted_count, row->address);
  while (!last.end && (row = gp_line_program_next(read->lines)) != NULL) {
    if (row->address > last.address) {
      if (!take_row(read, &last, row->address)) return false;
    } else if (row->address < last.address) {
      sequence.dubious = true;
    }
    if (row->address < sequence.low) sequence.low = row->address;
    if (row->address > sequence.high) sequence.high = row->address;
    last = *row;
  }
  return keep_sequence(read, sequence);
}

/* Reads a table. If any of it makes no sense, nothing of it counts: it is the same with
 * libbfd. */
static bool read_table(reading *read) {
  const gp_line_row *row;
  size_t sequences = read->into->count, rows = read->into->rows.count;
  read->file_count = 0;
  while ((row = gp_line_program_next(read->lines)) != NULL)
    if (!read_sequence(read, row)) return false;
  if (gp_line_program_strange(read->lines)) {
    read->into->count = sequences;
    read->into->rows.count = rows;
  }
  return true;
}

/* Where the first symbol in .text is that libbfd can take for a function's; the beginning
 * of .text if symbols were not read. */
static uint64_t first_named(const gp_image *image) {
  const flagword others = BSF_SECTION_SYM | BSF_FILE | BSF_OBJECT | BSF_THREAD_LOCAL;
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < image->symbol_count; i++) {
    const asymbol *symbol = image->symbols[i];
    if (symbol->section == image->text && !(symbol->flags & others) &&
        bfd_asymbol_value(symbol) < first)
      first = bfd_asymbol_value(symbol);
  }
  return image->symbol_count > 0 ? first : image->text_low;
}

bool gp_line_sequences_read(gp_line_sequences *rows, gp_source_names *files,
                            const gp_image *image, bool as_libbfd, const gp_range *wanted,
                            size_t wanted_count, bool *readable) {
  gp_line_tables tables;
  reading read = {.into = rows, .first = first_named(image), .wanted = wanted,
                  .wanted_count = wanted_count, .as_libbfd = as_libbfd, .files = files};
  memset(rows, 0, sizeof *rows);
  bool failed = !gp_line_tables_open(&tables, image, readable);
  read.lines = &tables.lines;
  read.most = MOST_OVERLAP * (tables.dwarf.line.size + wanted_count);
  while (!failed && !read.full && gp_line_tables_next(&tables, &failed))
    failed = !read_table(&read);
  *readable &= !read.full && !(as_libbfd && tables.unlike);
  rows->split = tables.split;
  gp_line_tables_free(&tables);
  free(read.file);
  return !failed;
}

void gp_line_sequences_free(gp_line_sequences *rows) {
  free(rows->sequence);
  gp_line_map_free(&rows->rows);
  memset(rows, 0, sizeof *rows);
}
