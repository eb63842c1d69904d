/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line table of a unit, decoded row by row. */
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

void gp_line_program_init(gp_line_program *program, gp_dwarf *dwarf) {
  memset(program, 0, sizeof *program);
  program->dwarf = dwarf;
  program->isa_bit = dwarf->isa_bit;
}

void gp_line_program_free(gp_line_program *program) {
  free(program->bytes);
  gp_line_files_free(&program->files);
  memset(program, 0, sizeof *program);
}

/* --- the header ---------------------------------------------------------------- */

/* Copies the line table at `offset`, whose header gives the length. */
static bool load(gp_line_program *program, uint64_t offset) {
  unsigned char head[12] = {0};
  gp_section *section = &program->dwarf->line;
  if (offset >= section->size) return false;
  uint64_t left = section->size - offset;
  size_t known = left < sizeof head ? (size_t)left : sizeof head;
  if (!gp_section_read(section, offset, head, known)) return false;
  gp_cursor start = gp_cursor_on(head, sizeof head, program->dwarf->layout);
  uint64_t length = gp_take_length(&start), prefix = (uint64_t)(start.at - head);
  if (prefix > left || length > left - prefix) return false;
  size_t size = (size_t)(prefix + length);
  if (size > program->capacity) {
    if (!gp_section_room(section, &program->bytes, size, 1)) return false;
    program->capacity = size;
  }
  if (!gp_section_read(section, offset, program->bytes, size)) return false;
  program->code = gp_cursor_on(program->bytes, size, start.layout);
  program->code.at += prefix;
  program->code.wide = start.wide;
  program->offset = offset;
  return true;
}

/* Reads the parameters of the line number state machine from the header. Leaves the
 * cursor at the directory and file tables. */
static bool read_parameters(gp_line_program *program, gp_cursor *cursor,
                            unsigned version) {
  program->instruction_size = gp_take_u8(cursor);
  program->operations = version >= 4 ? gp_take_u8(cursor) : 1;
  program->statement = gp_take_u8(cursor) != 0;
  program->line_base = (int8_t)gp_take_u8(cursor);
  program->line_range = gp_take_u8(cursor);
  program->opcode_base = gp_take_u8(cursor);
  uint8_t base = program->opcode_base;
  program->operands = gp_take(cursor, base > 0 ? base - 1u : 0);
  return !cursor->bad && program->operations > 0;
}

static bool read_header(gp_line_program *program, gp_unit_layout *layout) {
  gp_cursor *cursor = &program->code;
  layout->version = gp_take_u16(cursor);
  layout->wide = cursor->wide;
  if (layout->version < 2 || layout->version > 5) return false;
  if (layout->version >= 5) {
    layout->address_size = gp_take_u8(cursor);
    if (gp_take_u8(cursor) != 0) return false;  /* segment selectors: not supported */
  }
  uint64_t length = gp_take_offset(cursor);
  program->tables = *cursor;
  if (!gp_take(cursor, length)) return false;
  program->tables.end = cursor->at;
  return read_parameters(program, &program->tables, layout->version);
}

static void reset(gp_line_program *program) {
  program->row = (gp_line_row){.file = 1, .line = 1, .is_statement = program->statement};
  program->address = 0;
  program->operation = 0;
}

bool gp_line_program_open(gp_line_program *program, const gp_unit *unit) {
  gp_line_files_free(&program->files);
  program->files_read = program->malformed = false;
  program->code = (gp_cursor){0};
  program->files.dwarf = program->dwarf;
  program->files.layout = program->files.comp_dir_layout = unit->layout;
  program->files.comp_dir = unit->directory;
  if (!unit->has_lines || !load(program, unit->lines)) return false;
  if (!read_header(program, &program->files.layout)) return false;
  reset(program);
  return true;
}

bool gp_line_program_malformed(const gp_line_program *program) {
  return program->malformed;
}

size_t gp_line_program_size(const gp_line_program *program) {
  return (size_t)(program->code.end - program->code.start);
}

/* --- the program --------------------------------------------------------------- */

/* Stops the iteration at an instruction that cannot be decoded. */
static void give_up(gp_line_program *program) {
  program->code.at = program->code.end;
  program->malformed = true;
}

/* Advances the address by `operations`. A VLIW instruction contains several
 * operations. */
static inline void advance(gp_line_program *program, uint64_t operations) {
  if (program->operations > 1) {
    operations += program->operation;
    program->operation = (unsigned)(operations % program->operations);
    operations /= program->operations;
  }
  program->address += operations * program->instruction_size;
}

/* Executes a special opcode: advances both address and line. */
static inline void advance_both(gp_line_program *program, unsigned opcode) {
  unsigned adjusted = opcode - program->opcode_base;
  unsigned steps = adjusted / program->line_range;
  int step = (int)(adjusted - steps * program->line_range) + program->line_base;
  advance(program, steps);
  program->row.line += (uint32_t)step;
}

/* Reads the directory and file tables, unless they have been read. */
static void read_files(gp_line_program *program) {
  gp_cursor tables = program->tables;
  if (program->files_read) return;
  program->files_read = true;
  if (!gp_line_files_read(&program->files, &tables, program->offset))
    program->malformed = true;
}

/* Executes an extended opcode. True if it emits a row. */
static bool run_extended(gp_line_program *program) {
  uint64_t length = gp_take_uleb(&program->code);
  gp_cursor operand = program->code;
  if (!gp_take(&program->code, length)) give_up(program);
  operand.end = program->code.at;
  unsigned opcode = gp_take_u8(&operand);
  size_t size = gp_left(&operand);
  switch (opcode) {
    case LNE_end_sequence: program->row.end = true; return true;
    case LNE_set_address:
      program->operation = 0;
      program->address =
          gp_dwarf_extend(program->dwarf, size, gp_take_uint(&operand, size));
      break;
    case LNE_set_discriminator:
      program->row.discriminator = (uint32_t)gp_take_uleb(&operand);
      break;
    case LNE_define_file:
      read_files(program);
      if (!gp_line_files_define(&program->files, &operand, program->offset))
        give_up(program);
      break;
    case LNE_HP_source_file_correlation: break;
    default: program->malformed = true; break;
  }
  return false;
}

/* Executes a standard opcode. True if it emits a row. */
static bool run_standard(gp_line_program *program, unsigned opcode) {
  gp_cursor *code = &program->code;
  gp_line_row *row = &program->row;
  switch (opcode) {
    case LNS_copy: return true;
    case LNS_advance_pc: advance(program, gp_take_uleb(code)); break;
    case LNS_advance_line: row->line += (uint32_t)gp_take_sleb(code); break;
    case LNS_set_file:
      row->file = gp_take_uleb(code);
      row->file_set = true;
      break;
    case LNS_negate_stmt: row->is_statement = !row->is_statement; break;
    case LNS_const_add_pc:  /* advances the address like special opcode 255 */
      if (program->line_range == 0)
        give_up(program);
      else
        advance(program, (255u - program->opcode_base) / program->line_range);
      break;
    case LNS_fixed_advance_pc:
      program->address += gp_take_u16(code);
      program->operation = 0;
      break;
    case LNS_set_basic_block:
    case LNS_set_prologue_end:
    case LNS_set_epilogue_begin: break;
    case LNS_set_column:
    case LNS_set_isa: gp_take_uleb(code); break;
    default:
      for (unsigned left = program->operands[opcode - 1]; left > 0; left--)
        gp_take_uleb(code);
      break;
  }
  return false;
}

static const gp_line_row *emit(gp_line_program *program) {
  program->row.address = program->address & ~program->isa_bit;
  return &program->row;
}

const gp_line_row *gp_line_program_next(gp_line_program *program) {
  if (program->row.end) reset(program);
  program->row.discriminator = 0;
  while (program->code.at < program->code.end) {
    unsigned opcode = *program->code.at++;
    if (opcode >= program->opcode_base) {
      if (program->line_range == 0) break;
      advance_both(program, opcode);
      return emit(program);
    }
    if (opcode > 0 ? run_standard(program, opcode) : run_extended(program))
      return emit(program);
  }
  if (program->code.at < program->code.end) give_up(program);
  return NULL;
}

bool gp_line_program_mixes_offsets(const gp_line_program *program) {
  const gp_line_files *files = &program->files;
  return files->layout.version >= 5 && files->layout.wide != files->comp_dir_layout.wide;
}

unsigned gp_line_program_first_file(const gp_line_program *program) {
  return program->files.layout.version >= 5 ? 0 : 1;
}

size_t gp_line_program_file_count(gp_line_program *program) {
  read_files(program);
  return program->files.count + program->files.first;
}

char *gp_line_program_file(gp_line_program *program, uint64_t number) {
  read_files(program);
  return gp_line_files_name(&program->files, number);
}
