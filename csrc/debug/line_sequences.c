/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sequences of all line tables that cover wanted code. */
#include "debug/line_sequences.h"

#include <string.h>

#include "base/array.h"
#include "debug/line_tables.h"

/* Disjoint sequences need at most one row for each byte of the tables, plus one for each
 * wanted range. Some sequences overlap, because linkers discard code. If the sequences
 * need more than MAX_OVERLAP times that number of rows, libbfd is asked instead. */
#define MAX_OVERLAP 8

/* For each sequence of a table, libbfd compares its range with the ranges of all earlier
 * sequences. So its time grows with the square of the number of sequences. The most that
 * is accepted is MOST_COMPARISONS, and COMPARISONS_PER_BYTE for each byte of the tables:
 * about a second, and a second for each megabyte. Most units have less than a thousand
 * sequences, of a hundred bytes and more. */
#define MOST_COMPARISONS (UINT64_C(1) << 26)
#define COMPARISONS_PER_BYTE 64

/* State of one pass over the tables. */
typedef struct reading {
  gp_line_sequences *sequences;
  uint64_t first_function;  /* a sequence that begins below this address is dubious */
  const gp_range *wanted;
  size_t wanted_count;
  bool as_libbfd;           /* see line_map_build.h */
  size_t next;              /* index of the next wanted range that may contain a row */
  uint64_t row_limit;       /* largest number of rows to keep */
  bool too_many;            /* the limit was reached: the tables are not used */
  uint64_t comparisons;     /* of sequences, by libbfd */
  gp_line_program *program; /* the current table */
  gp_source_paths *paths;
  size_t file_count;        /* number of files in the table; 0 until a name is needed */
  size_t file_capacity;
  uint32_t *file;           /* for each file of the table: its number in `paths`, or
                               GP_NONE if not yet assigned */
} reading;

/* --- files --------------------------------------------------------------------- */

/* Allocates the numbers of the table's files and sets all to GP_NONE. */
static bool start_files(reading *r) {
  r->file_count = gp_line_program_file_count(r->program);
  if (r->file_count == 0) return true;
  if (!r->file || r->file_count > r->file_capacity) {
    if (!gp_resize(&r->file, r->file_count, sizeof *r->file)) return false;
    r->file_capacity = r->file_count;
  }
  memset(r->file, 0xff, r->file_count * sizeof *r->file);
  return true;
}

/* Sets `*number` to the number of a row's file; GP_NONE if its name is empty. If the
 * program did not set a file, the default is file 1. libbfd instead takes the first file
 * of the table, which is file 0 since DWARF 5. False if there is no memory. */
static bool find_file(reading *r, const gp_line_row *row, uint32_t *number) {
  if (r->file_count == 0 && !start_files(r)) return false;
  uint64_t file = row->file;
  if (!row->file_set && r->as_libbfd) file = gp_line_program_first_file(r->program);
  if (file < r->file_count && (*number = r->file[file]) != GP_NONE) return true;
  char *name = gp_line_program_file(r->program, file);
  *number = GP_NONE;
  bool done = name && (name[0] == '\0' || gp_source_paths_add(r->paths, name, number));
  free(name);
  if (file < r->file_count) r->file[file] = *number;
  return done;
}

/* --- rows ---------------------------------------------------------------------- */

/* Stores the wanted parts of a row's code. */
static bool keep_row(reading *r, const gp_line_row *row, uint64_t high) {
  uint32_t file;
  gp_line_map *rows = &r->sequences->rows;
  r->too_many |= rows->count >= r->row_limit;
  if (row->line == 0 || r->too_many) return true;
  for (size_t i = r->next; i < r->wanted_count && r->wanted[i].low < high; i++) {
    gp_range part = gp_range_clip(r->wanted[i], (gp_range){row->address, high});
    if (!find_file(r, row, &file)) return false;
    if (file != GP_NONE && !gp_line_map_append(rows, part, file, row->line)) return false;
  }
  return true;
}

/* Handles a row whose code ends at `high`. Most rows are not wanted, so an inline test
 * rejects them first. */
static inline bool take_row(reading *r, const gp_line_row *row, uint64_t high) {
  while (r->next < r->wanted_count && r->wanted[r->next].high <= row->address) r->next++;
  return r->next == r->wanted_count || r->wanted[r->next].low >= high ||
         keep_row(r, row, high);
}

static bool append(gp_line_sequences *sequences, gp_sequence sequence) {
  if (!GP_RESERVE(&sequences->capacity, sequences->count + 1,
                  GP_COLUMN(sequences->sequence)))
    return false;
  sequences->sequence[sequences->count++] = sequence;
  return true;
}

/* Stores a sequence if any of its code is wanted, even code without a line. */
static bool keep_sequence(reading *r, gp_sequence sequence) {
  size_t i = gp_range_above(r->wanted, r->wanted_count, sequence.low);
  if (i == r->wanted_count || r->wanted[i].low >= sequence.high) return true;
  sequence.end = r->sequences->rows.count;
  sequence.dubious |= sequence.low < r->first_function;
  return append(r->sequences, sequence);
}

/* Reads the sequence whose first row is `row`. */
static bool read_sequence(reading *r, const gp_line_row *row) {
  gp_sequence sequence = {row->address, row->address, r->sequences->rows.count, 0, false};
  gp_line_row last = *row;
  r->next = gp_range_above(r->wanted, r->wanted_count, row->address);
  while (!last.end && (row = gp_line_program_next(r->program)) != NULL) {
    if (row->address > last.address) {
      if (!take_row(r, &last, row->address)) return false;
    } else if (row->address < last.address) {
      sequence.dubious = true;
    }
    if (row->address < sequence.low) sequence.low = row->address;
    if (row->address > sequence.high) sequence.high = row->address;
    last = *row;
  }
  return keep_sequence(r, sequence);
}

/* Reads a table. Drops a malformed table as a whole, as libbfd does. */
static bool read_table(reading *r) {
  const gp_line_row *row;
  gp_line_sequences *sequences = r->sequences;
  size_t sequence_count = sequences->count, row_count = sequences->rows.count;
  r->file_count = 0;
  for (uint64_t i = 0; (row = gp_line_program_next(r->program)) != NULL; i++) {
    r->comparisons += i;
    if (!read_sequence(r, row)) return false;
  }
  if (gp_line_program_malformed(r->program)) {
    sequences->count = sequence_count;
    sequences->rows.count = row_count;
  }
  return true;
}

/* The lowest address of a symbol in .text that libbfd can take for a function; the start
 * of .text if no symbols were read. */
static uint64_t find_first_function(const gp_image *image) {
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

bool gp_line_sequences_read(gp_line_sequences *sequences, gp_source_paths *paths,
                            const gp_image *image, gp_line_reading how,
                            const gp_range *wanted, size_t wanted_count, bool *readable) {
  gp_line_tables tables;
  bool as_libbfd = how == GP_LINES_AS_LIBBFD;
  reading r = {.sequences = sequences, .first_function = find_first_function(image),
               .wanted = wanted, .wanted_count = wanted_count, .as_libbfd = as_libbfd,
               .paths = paths};
  memset(sequences, 0, sizeof *sequences);
  gp_line_map_init(&sequences->rows);
  bool failed = !gp_line_tables_open(&tables, image, readable);
  if (how == GP_LINES_OF_UNITS) gp_line_tables_limit(&tables, wanted, wanted_count);
  r.program = &tables.program;
  if (as_libbfd) r.program->isa_bit = 0;
  r.row_limit = MAX_OVERLAP * (tables.dwarf.line.size + wanted_count);
  while (!failed && !r.too_many && gp_line_tables_next(&tables, &failed))
    failed = !read_table(&r);
  *readable &= !r.too_many && !(as_libbfd && tables.unlike_libbfd);
  sequences->costly = r.comparisons > MOST_COMPARISONS +
                                      COMPARISONS_PER_BYTE * tables.dwarf.line.size;
  sequences->partial = tables.skipped;
  gp_line_tables_free(&tables);
  free(r.file);
  return !failed;
}

void gp_line_sequences_free(gp_line_sequences *sequences) {
  free(sequences->sequence);
  gp_line_map_free(&sequences->rows);
  memset(sequences, 0, sizeof *sequences);
}
