/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line table of a unit. */
#include "debug/line_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
  LNS_copy = 1, LNS_advance_pc, LNS_advance_line, LNS_set_file, LNS_set_column,
  LNS_negate_stmt, LNS_set_basic_block, LNS_const_add_pc, LNS_fixed_advance_pc,
  LNS_set_prologue_end, LNS_set_epilogue_begin, LNS_set_isa
};
enum { LNE_end_sequence = 1, LNE_set_address, LNE_define_file, LNE_set_discriminator,
       LNE_HP_source_file_correlation = 0x80 };

void gp_line_program_init(gp_line_program *lines, gp_dwarf *dwarf) {
  memset(lines, 0, sizeof *lines);
  lines->dwarf = dwarf;
}

void gp_line_program_free(gp_line_program *lines) {
  free(lines->bytes);
  gp_line_files_free(&lines->files);
  memset(lines, 0, sizeof *lines);
}

/* --- the header ---------------------------------------------------------------- */

/* Copies the table at `offset`, as long as it says it is. */
static bool load(gp_line_program *lines, uint64_t offset) {
  unsigned char head[12] = {0};
  gp_section *section = &lines->dwarf->line;
  if (offset >= section->size) return false;
  uint64_t left = section->size - offset;
  size_t known = left < sizeof head ? (size_t)left : sizeof head;
  if (!gp_section_read(section, offset, head, known)) return false;
  gp_cursor start = gp_cursor_on(head, sizeof head, lines->dwarf->layout);
  uint64_t length = gp_take_length(&start), behind = (uint64_t)(start.at - head);
  if (behind > left || length > left - behind) return false;
  size_t size = (size_t)(length + behind);
  if (size > lines->capacity) {
    if (!gp_section_room(section, &lines->bytes, size, 1)) return false;
    lines->capacity = size;
  }
  if (!gp_section_read(section, offset, lines->bytes, size)) return false;
  lines->program = gp_cursor_on(lines->bytes, size, start.layout);
  lines->program.at += behind;
  lines->program.wide = start.wide;
  lines->offset = offset;
  return true;
}

/* Reads what stands before the tables of directories and files, which the cursor is at
 * then. */
static bool read_machine(gp_line_program *lines, gp_cursor *cursor, unsigned version) {
  lines->instruction_size = gp_take_u8(cursor);
  lines->operations = version >= 4 ? gp_take_u8(cursor) : 1;
  lines->statement = gp_take_u8(cursor) != 0;
  lines->line_base = (int8_t)gp_take_u8(cursor);
  lines->line_range = gp_take_u8(cursor);
  lines->opcode_base = gp_take_u8(cursor);
  lines->operands = gp_take(cursor, lines->opcode_base ? lines->opcode_base - 1u : 0);
  return !cursor->bad && lines->operations > 0;
}

static bool read_header(gp_line_program *lines, gp_unit_layout *layout) {
  gp_cursor *cursor = &lines->program;
  layout->version = gp_take_u16(cursor);
  layout->wide = cursor->wide;
  if (layout->version < 2 || layout->version > 5) return false;
  if (layout->version >= 5) {
    layout->address_size = gp_take_u8(cursor);
    if (gp_take_u8(cursor) != 0) return false;  /* segments */
  }
  uint64_t length = gp_take_offset(cursor);
  lines->tables = *cursor;
  if (!gp_take(cursor, length)) return false;
  lines->tables.end = cursor->at;
  return read_machine(lines, &lines->tables, layout->version);
}

static void reset(gp_line_program *lines) {
  lines->row = (gp_line_row){.file = 1, .line = 1, .is_statement = lines->statement};
  lines->operation = 0;
}

bool gp_line_program_open(gp_line_program *lines, const gp_unit *unit) {
  gp_line_files_free(&lines->files);
  lines->named = lines->odd = false;
  lines->program = (gp_cursor){0};
  lines->files.dwarf = lines->dwarf;
  lines->files.layout = lines->files.home_layout = unit->layout;
  lines->files.home = unit->directory;
  if (!unit->has_lines || !load(lines, unit->lines)) return false;
  if (!read_header(lines, &lines->files.layout)) return false;
  reset(lines);
  return true;
}

bool gp_line_program_strange(const gp_line_program *lines) {
  return lines->odd;
}

size_t gp_line_program_size(const gp_line_program *lines) {
  return (size_t)(lines->program.end - lines->program.start);
}

/* --- the program --------------------------------------------------------------- */

/* Ends the iteration: from here on the program makes no sense. */
static void give_up(gp_line_program *lines) {
  lines->program.at = lines->program.end;
  lines->odd = true;
}

/* Goes on by so many operations. */
static inline void advance(gp_line_program *lines, uint64_t operations) {
  if (lines->operations > 1) {
    operations += lines->operation;
    lines->operation = (unsigned)(operations % lines->operations);
    operations /= lines->operations;
  }
  lines->row.address += operations * lines->instruction_size;
}

/* An opcode that advances both address and line. */
static inline void advance_both(gp_line_program *lines, unsigned opcode) {
  unsigned adjusted = opcode - lines->opcode_base, steps = adjusted / lines->line_range;
  int step = (int)(adjusted - steps * lines->line_range) + lines->line_base;
  advance(lines, steps);
  lines->row.line += (uint32_t)step;
}

/* Reads the tables of directories and files, once. */
static void read_files(gp_line_program *lines) {
  gp_cursor tables = lines->tables;
  if (lines->named) return;
  lines->named = true;
  if (!gp_line_files_read(&lines->files, &tables, lines->offset)) lines->odd = true;
}

static void set_address(gp_line_program *lines, gp_cursor *operand) {
  size_t size = gp_left(operand);
  lines->row.address = gp_take_uint(operand, size);
  if (size == 4 && lines->dwarf->signed_addresses)
    lines->row.address = (uint64_t)(int64_t)(int32_t)lines->row.address;
  lines->operation = 0;
}

/* An opcode with a length. True if it makes a row. */
static bool run_extended(gp_line_program *lines) {
  uint64_t length = gp_take_uleb(&lines->program);
  gp_cursor operand = lines->program;
  if (!gp_take(&lines->program, length)) give_up(lines);
  operand.end = lines->program.at;
  switch (gp_take_u8(&operand)) {
    case LNE_end_sequence: lines->row.end = true; return true;
    case LNE_set_address: set_address(lines, &operand); break;
    case LNE_set_discriminator: break;
    case LNE_define_file:
      read_files(lines);
      if (!gp_line_files_define(&lines->files, &operand, lines->offset)) give_up(lines);
      break;
    case LNE_HP_source_file_correlation: break;
    default: lines->odd = true; break;
  }
  return false;
}

static void skip_operands(gp_line_program *lines, unsigned opcode) {
  unsigned count = lines->operands[opcode - 1];
  while (count-- > 0) gp_take_uleb(&lines->program);
}

static void set_file(gp_line_program *lines) {
  lines->row.file = gp_take_uleb(&lines->program);
  lines->row.file_set = true;
}

/* Goes on as far as the last of the special opcodes would. */
static void advance_const(gp_line_program *lines) {
  if (lines->line_range == 0)
    give_up(lines);
  else
    advance(lines, (255u - lines->opcode_base) / lines->line_range);
}

/* An opcode below the special ones. True if it makes a row. */
static bool run_standard(gp_line_program *lines, unsigned opcode) {
  gp_cursor *program = &lines->program;
  gp_line_row *row = &lines->row;
  switch (opcode) {
    case LNS_copy: return true;
    case LNS_advance_pc: advance(lines, gp_take_uleb(program)); break;
    case LNS_advance_line: row->line += (uint32_t)gp_take_sleb(program); break;
    case LNS_set_file: set_file(lines); break;
    case LNS_negate_stmt: row->is_statement = !row->is_statement; break;
    case LNS_const_add_pc: advance_const(lines); break;
    case LNS_fixed_advance_pc:
      row->address += gp_take_u16(program);
      lines->operation = 0;
      break;
    case LNS_set_basic_block:
    case LNS_set_prologue_end:
    case LNS_set_epilogue_begin: break;
    case LNS_set_column:
    case LNS_set_isa: gp_take_uleb(program); break;
    default: skip_operands(lines, opcode); break;
  }
  return false;
}

const gp_line_row *gp_line_program_next(gp_line_program *lines) {
  if (lines->row.end) reset(lines);
  while (lines->program.at < lines->program.end) {
    unsigned opcode = *lines->program.at++;
    if (opcode >= lines->opcode_base) {
      if (lines->line_range == 0) break;
      advance_both(lines, opcode);
      return &lines->row;
    }
    if (opcode > 0 ? run_standard(lines, opcode) : run_extended(lines))
      return &lines->row;
  }
  if (lines->program.at < lines->program.end) give_up(lines);
  return NULL;
}

bool gp_line_program_mixed(const gp_line_program *lines) {
  const gp_line_files *files = &lines->files;
  return files->layout.version >= 5 && files->layout.wide != files->home_layout.wide;
}

unsigned gp_line_program_first_file(const gp_line_program *lines) {
  return lines->files.layout.version >= 5 ? 0 : 1;
}

size_t gp_line_program_file_count(gp_line_program *lines) {
  read_files(lines);
  return lines->files.count + lines->files.first;
}

char *gp_line_program_file(gp_line_program *lines, uint64_t number) {
  read_files(lines);
  return gp_line_files_name(&lines->files, number);
}
