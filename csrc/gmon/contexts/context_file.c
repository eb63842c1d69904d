/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the parts of a context profile. */
#include "gmon/contexts/context_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"
#include "base/crc32.h"

typedef struct context_file {
  gp_records *r;
  const gp_context_sink *sink;
  gp_crc32 crc;
  uint64_t left;                /* unread bytes of the section */
  bool seen[GP_CONTEXT_KINDS];  /* for each kind of section: one was read */
  gp_script_lines lines;        /* of a Lua program: see gp_records */
  gp_range script;              /* of a Lua program: its addresses in the file */
  gp_range covered;             /* code of the program that has samples */
} context_file;

/* --- bytes ----------------------------------------------------------------- */

/* Takes the next bytes of the file, at most GP_READER_WINDOW. */
static const unsigned char *take(context_file *f, size_t size, const char *kind) {
  const unsigned char *bytes = gp_reader_take(f->r->reader, size);
  if (bytes)
    gp_crc32_add(&f->crc, bytes, size);
  else
    gp_records_truncated(f->r, kind);
  return bytes;
}

static bool fail_size(const context_file *f) {
  return gp_fail(f->r->error, "the section at offset %" PRIu64 " has the wrong size",
                 f->r->offset);
}

/* Takes bytes of the current section. */
static const unsigned char *take_part(context_file *f, size_t size) {
  if (size > f->left) {
    fail_size(f);
    return NULL;
  }
  f->left -= size;
  return take(f, size, "the section");
}

static bool skip_part(context_file *f, uint64_t size) {
  while (size > 0) {
    size_t now = size < GP_READER_WINDOW ? (size_t)size : GP_READER_WINDOW;
    if (!take_part(f, now)) return false;
    size -= now;
  }
  return true;
}

static uint32_t u32_at(const context_file *f, const unsigned char *bytes, size_t offset) {
  return gp_u32(bytes + offset, f->r->layout);
}

static uint64_t u64_at(const context_file *f, const unsigned char *bytes, size_t number) {
  return gp_u64(bytes + 8 * number, f->r->layout);
}

static bool take_u32(context_file *f, uint32_t *number) {
  const unsigned char *bytes = take_part(f, 4);
  if (bytes) *number = u32_at(f, bytes, 0);
  return bytes != NULL;
}

static bool take_text(context_file *f, gp_context_text *text) {
  if (!take_u32(f, &text->size)) return false;
  if (text->size > f->left) return fail_size(f);
  if (text->size > GP_READER_WINDOW)
    return gp_fail(f->r->error, "a text in the section at offset %" PRIu64 " has %" PRIu32
                   " bytes: the limit is %zu", f->r->offset, text->size,
                   GP_READER_WINDOW);
  text->bytes = take_part(f, text->size);
  return text->bytes != NULL;
}

bool gp_context_add(const gp_records *r, uint64_t *sum, uint64_t more) {
  return gp_count_add(sum, more) ||
         gp_fail(r->error, "a count exceeds 63 bits in the section at offset %" PRIu64,
                 r->offset);
}

/* --- Lua programs ------------------------------------------------------------- */

/* Takes the rest of the section. */
static bool take_all(context_file *f, gp_script_functions *list, unsigned char **copy) {
  size_t capacity = 0;
  while (f->left > 0) {
    size_t now = f->left < GP_READER_WINDOW ? (size_t)f->left : GP_READER_WINDOW;
    const unsigned char *bytes = take_part(f, now);
    if (!bytes) return false;
    if (!GP_RESERVE(&capacity, list->size + now, GP_COLUMN(*copy)))
      return gp_fail_memory(f->r->error);
    memcpy(*copy + list->size, bytes, now);
    list->size += now;
  }
  list->bytes = *copy;
  return true;
}

static bool read_functions(context_file *f) {
  gp_script_functions list = {NULL, 0};
  unsigned char *copy = NULL;
  if (!f->r->functions.bytes)
    return gp_fail(f->r->error, "is the profile of a Lua program, and not of the image");
  bool done = take_all(f, &list, &copy) &&
              gp_script_lines_find(&f->lines, list, f->r->functions, f->r->error);
  free(copy);
  return done;
}

static bool is_script(const context_file *f) { return f->seen[GP_CONTEXT_FUNCTIONS]; }

/* Converts the module that stands for the program. */
static bool convert_module(context_file *f, gp_context_module *m) {
  gp_range expected = gp_script_range(f->lines.count), loaded = m->loaded;
  f->script = loaded;
  if (loaded.low - m->bias != expected.low || loaded.high - m->bias != expected.high)
    return gp_fail(f->r->error, "is damaged: the module in the section at offset %" PRIu64
                   " does not have the addresses of the program's functions",
                   f->r->offset);
  m->loaded = m->code = gp_script_range(f->lines.total);
  m->bias = 0;
  m->build_id_size = 0;
  m->path = (gp_context_text){m->path.bytes, 0};
  return true;
}

/* Converts an address of the program. Other addresses stay as they are. */
static void convert_address(const context_file *f, uint64_t *address) {
  if (!gp_range_has(f->script, *address)) return;
  uint64_t offset = *address - f->script.low;
  *address = GP_SCRIPT_LOW + f->lines.rows[offset / GP_SCRIPT_LINE] * GP_SCRIPT_LINE +
             offset % GP_SCRIPT_LINE;
}

static bool read_line(context_file *f, uint32_t *next) {
  const unsigned char *bytes = take_part(f, GP_CONTEXT_LINE_SIZE);
  if (!bytes) return false;
  uint32_t row = u32_at(f, bytes, 0);
  if (row < *next || row >= f->lines.count)
    return gp_fail(f->r->error, "a line in the section at offset %" PRIu64 " is %s",
                   f->r->offset, row < *next ? "in the wrong order" : "unknown");
  *next = row + 1;
  return f->sink->line(f->sink->into,
                       GP_SCRIPT_LOW + f->lines.rows[row] * GP_SCRIPT_LINE,
                       gp_u64(bytes + 4, f->r->layout));
}

static bool read_lines(context_file *f) {
  uint32_t next = 0;
  while (f->left > 0)
    if (!read_line(f, &next)) return false;
  return true;
}

/* --- the process ------------------------------------------------------------ */

/* Bytes of the section: its times end, its flags begin, its text begins. See
 * doc/contexts.md. */
enum { PROCESS_TIMES = 32, PROCESS_FLAGS = 76, PROCESS_TEXT = 80 };

static bool read_process(context_file *f) {
  const unsigned char *bytes = take_part(f, GP_CONTEXT_PROCESS_SIZE);
  if (!bytes) return false;
  if (!is_script(f) && f->r->functions.bytes)
    return gp_fail(f->r->error, "is not the profile of a Lua program");
  gp_context_counts *counts = &f->r->kind.contexts;
  gp_context_process p = {
      .begin = u64_at(f, bytes, 2), .written = u64_at(f, bytes, 3),
      .limit = u64_at(f, bytes, 4), .lost = u64_at(f, bytes, 5),
      .clock_error = u64_at(f, bytes, 6),
      .covered = is_script(f) ? gp_script_range(f->lines.total)
                              : (gp_range){u64_at(f, bytes, 7), u64_at(f, bytes, 8)},
      .rate = u32_at(f, bytes, 72)};
  /* drops unknown flags, and the clocks of samples if there are none */
  const uint32_t clocks = GP_CONTEXT_WALL | GP_CONTEXT_CLOCKS | GP_CONTEXT_TICK;
  p.flags = u32_at(f, bytes, PROCESS_FLAGS) &
            (GP_CONTEXT_JOINED | (p.rate > 0 ? clocks : 0u));
  counts->process = u64_at(f, bytes, 0);
  counts->processes = 1;
  counts->written = counts->id = p.written;
  counts->rate = p.rate;
  counts->joined = (p.flags & GP_CONTEXT_JOINED) != 0;
  counts->wall = (p.flags & GP_CONTEXT_WALL) != 0;
  f->covered = p.covered;
  return gp_context_add(f->r, &counts->lost, p.lost) && take_text(f, &p.command) &&
         f->sink->process(f->sink->into, &p);
}

/* Reads the section that only sums have. */
static bool read_sum(context_file *f) {
  const unsigned char *bytes = take_part(f, 8);
  if (!bytes) return false;
  uint64_t processes = u64_at(f, bytes, 0);
  if (processes == 0 || processes > INT64_MAX)
    return gp_fail(f->r->error, "the section at offset %" PRIu64 " claims %" PRIu64
                   " processes", f->r->offset, processes);
  f->r->kind.contexts.processes = processes;
  return true;
}

/* --- modules ---------------------------------------------------------------- */

/* Copies the build ID, because reading the path, which follows, invalidates it. */
static bool take_build_id(context_file *f, gp_context_module *m) {
  gp_context_text id = {NULL, 0};
  if (!take_text(f, &id)) return false;
  m->build_id_size = id.size;
  if (id.size > sizeof m->build_id) return true;
  /* bytes were taken: NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
  memcpy(m->build_id, id.bytes, id.size);
  return true;
}

/* Checks that code is empty, or part of its module. */
static bool check_code(const context_file *f, const gp_context_module *m, gp_range code) {
  bool is_inside = m->loaded.low <= code.low && code.low <= code.high &&
                   code.high <= m->loaded.high;
  return is_inside || code.low == code.high ||
         gp_fail(f->r->error, "the section at offset %" PRIu64 " claims code from "
                 "0x%" PRIx64 " to 0x%" PRIx64 ", outside its module", f->r->offset,
                 code.low, code.high);
}

/* Checks that a module has addresses, as loaded and as linked. */
static bool check_addresses(const context_file *f, const gp_context_module *m) {
  uint64_t low = m->loaded.low, high = m->loaded.high;
  return (low < high && low - m->bias < high - m->bias) ||
         gp_fail(f->r->error, "a module in the section at offset %" PRIu64
                 " has no addresses%s", f->r->offset,
                 low < high ? ": its load bias is wrong" : "");
}

static bool read_module(context_file *f, bool is_program) {
  const unsigned char *bytes = take_part(f, GP_CONTEXT_MODULE_SIZE);
  if (!bytes) return false;
  gp_context_module m = {.bias = u64_at(f, bytes, 0),
                         .loaded = {u64_at(f, bytes, 1), u64_at(f, bytes, 2)},
                         .code = {u64_at(f, bytes, 3), u64_at(f, bytes, 4)},
                         .closed = u32_at(f, bytes, 40)};
  return check_addresses(f, &m) && check_code(f, &m, m.code) &&
         (!is_program || is_script(f) || check_code(f, &m, f->covered)) &&
         take_build_id(f, &m) && take_text(f, &m.path) &&
         (!is_script(f) || !is_program || convert_module(f, &m)) &&
         f->sink->module(f->sink->into, &m, is_program);
}

static bool read_modules(context_file *f) {
  uint32_t count;
  if (!take_u32(f, &count)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!read_module(f, i == 0)) return false;
  f->r->kind.contexts.modules = count;
  return f->sink->last_module(f->sink->into);
}

/* --- tables ----------------------------------------------------------------- */

static bool check_record(const context_file *f, const gp_context_record *record,
                         uint64_t offset) {
  uint32_t number = record->number;
  if (number < GP_CONTEXT_ROOTS)
    return (record->context == number && record->self == 0) ||
           gp_fail(f->r->error, "the record at offset %" PRIu64 " must be a root: %s",
                   offset, record->self != 0 ? "it is a call"
                                             : "it is in the context of another record");
  return (record->context < number &&
          (record->entered <= number || record->entered == GP_CONTEXT_IGNORED)) ||
         gp_fail(f->r->error, "the record at offset %" PRIu64 " refers to a later one",
                 offset);
}

static bool read_record(context_file *f, uint32_t number) {
  uint64_t offset = f->r->reader->offset;
  const unsigned char *bytes = take_part(f, GP_CONTEXT_RECORD_SIZE);
  if (!bytes) return false;
  gp_context_record record = {.number = number, .context = u32_at(f, bytes, 0),
                              .entered = u32_at(f, bytes, 4),
                              .from = u64_at(f, bytes, 1), .self = u64_at(f, bytes, 2),
                              .count = u64_at(f, bytes, 3)};
  if (!check_record(f, &record, offset)) return false;
  convert_address(f, &record.from);
  convert_address(f, &record.self);
  if (number < GP_CONTEXT_ROOTS || record.entered == GP_CONTEXT_IGNORED) return true;
  gp_context_counts *counts = &f->r->kind.contexts;
  bool is_sample = record.self == 0;
  if (!is_sample) counts->contexts += record.entered == record.number;
  uint64_t *sum = is_sample ? &counts->ticks : &counts->calls;
  return gp_context_add(f->r, sum, record.count) &&
         f->sink->record(f->sink->into, &record);
}

static bool read_table(context_file *f) {
  const unsigned char *bytes = take_part(f, GP_CONTEXT_TABLE_SIZE);
  uint32_t records;
  if (!bytes) return false;
  gp_context_table t = {.thread = u32_at(f, bytes, 4), .threads = u32_at(f, bytes, 8),
                        .deferred = u32_at(f, bytes, 12),
                        .cpu = u64_at(f, bytes, 2), .signals = u64_at(f, bytes, 3),
                        .inside = u64_at(f, bytes, 4)};
  if (!gp_context_add(f->r, &f->r->kind.contexts.threads, t.threads) ||
      !take_text(f, &t.name) || !f->sink->table(f->sink->into, &t) ||
      !take_u32(f, &records))
    return false;
  if (records < GP_CONTEXT_ROOTS || f->left != (uint64_t)records * GP_CONTEXT_RECORD_SIZE)
    return fail_size(f);
  for (uint32_t i = 0; i < records; i++)
    if (!read_record(f, i)) return false;
  return true;
}

/* --- the file --------------------------------------------------------------- */

static bool read_header(context_file *f) {
  const unsigned char *bytes = take(f, GP_CONTEXT_HEADER, "the header");
  if (!bytes) return false;
  if (memcmp(bytes, GP_CONTEXT_MAGIC, strlen(GP_CONTEXT_MAGIC)) != 0)
    return gp_fail(f->r->error, "is not a context profile");
  gp_layout layout = f->r->layout;
  uint32_t mark = u32_at(f, bytes, 8);
  if (mark == __builtin_bswap32(GP_CONTEXT_BYTE_ORDER))
    return gp_fail(f->r->error, "is %s-endian, but the program is %s-endian",
                   layout.big_endian ? "little" : "big",
                   layout.big_endian ? "big" : "little");
  if (mark != GP_CONTEXT_BYTE_ORDER)
    return gp_fail(f->r->error, "is damaged: no byte order mark at offset 8");
  f->r->kind.version = gp_u16(bytes + 12, layout);
  if (f->r->kind.version != GP_CONTEXT_VERSION)
    return gp_fail(f->r->error, "unsupported version %" PRIu32 " of context profiles: "
                   "expected %d", f->r->kind.version, GP_CONTEXT_VERSION);
  unsigned size = gp_u16(bytes + 14, layout);
  return size == layout.pointer_size ||
         gp_fail(f->r->error, "has addresses of %u bytes, but the program's addresses "
                 "have %u", size, layout.pointer_size);
}

static bool read_end(context_file *f) {
  uint32_t expected = gp_crc32_value(&f->crc);
  const unsigned char *bytes = take_part(f, 4);
  if (!bytes) return false;
  if (u32_at(f, bytes, 0) != expected)
    return gp_fail(f->r->error, "is damaged: its checksum is wrong");
  if (f->seen[GP_CONTEXT_SUM]) f->r->kind.contexts.id = expected;
  if (gp_reader_available(f->r->reader, 1) > 0)
    return gp_fail(f->r->error, "has unexpected data after its end, at offset %" PRIu64,
                   f->r->reader->offset);
  return !f->r->reader->failed;
}

/* Whether a section of this kind may come next. */
static bool is_expected(const context_file *f, uint32_t kind) {
  switch (kind) {
    case GP_CONTEXT_FUNCTIONS:
      return !f->seen[GP_CONTEXT_FUNCTIONS] && !f->seen[GP_CONTEXT_PROCESS];
    case GP_CONTEXT_PROCESS: return !f->seen[GP_CONTEXT_PROCESS];
    case GP_CONTEXT_MODULES:
      return f->seen[GP_CONTEXT_PROCESS] && !f->seen[GP_CONTEXT_MODULES];
    case GP_CONTEXT_SUM:
      return f->seen[GP_CONTEXT_PROCESS] && !f->seen[GP_CONTEXT_MODULES] &&
             !f->seen[GP_CONTEXT_SUM];
    case GP_CONTEXT_LINES:
      return is_script(f) && f->seen[GP_CONTEXT_MODULES] && !f->seen[GP_CONTEXT_LINES];
    case GP_CONTEXT_TABLE: case GP_CONTEXT_END: return f->seen[GP_CONTEXT_MODULES];
    default: return true;
  }
}

static bool read_section_body(context_file *f, uint32_t kind) {
  switch (kind) {
    case GP_CONTEXT_END: return read_end(f);
    case GP_CONTEXT_PROCESS: return read_process(f);
    case GP_CONTEXT_MODULES: return read_modules(f);
    case GP_CONTEXT_TABLE: return read_table(f);
    case GP_CONTEXT_SUM: return read_sum(f);
    case GP_CONTEXT_FUNCTIONS: return read_functions(f);
    case GP_CONTEXT_LINES: return read_lines(f);
    default: return skip_part(f, f->left);
  }
}

bool gp_context_check_size(const gp_reader *reader, uint64_t offset, uint64_t size,
                           gp_error *error) {
  return gp_reader_may_hold(reader, size) ||
         gp_fail(error, "the section at offset %" PRIu64 " claims %" PRIu64
                 " bytes, but only %" PRIu64 " follow", offset, size,
                 reader->size - reader->offset);
}

/* Reads a section, and sets *kind. */
static bool read_section(context_file *f, uint32_t *kind) {
  f->r->offset = f->r->reader->offset;
  const unsigned char *bytes = take(f, GP_CONTEXT_SECTION, "the section");
  if (!bytes) return false;
  *kind = u32_at(f, bytes, 0);
  f->left = gp_u64(bytes + 4, f->r->layout);
  if (!gp_context_check_size(f->r->reader, f->r->offset, f->left, f->r->error))
    return false;
  if (!is_expected(f, *kind))
    return gp_fail(f->r->error, "unexpected section of kind %" PRIu32 " at offset %"
                   PRIu64, *kind, f->r->offset);
  if (!read_section_body(f, *kind)) return false;
  if (f->left > 0) return fail_size(f);
  if (*kind < GP_CONTEXT_KINDS) f->seen[*kind] = true;
  return true;
}

bool gp_context_file_read(gp_records *r, const gp_context_sink *sink) {
  context_file f = {.r = r, .sink = sink};
  gp_crc32_init(&f.crc);
  uint32_t kind = GP_CONTEXT_PROCESS;
  bool done = read_header(&f);
  while (done && kind != GP_CONTEXT_END) done = read_section(&f, &kind);
  gp_script_lines_free(&f.lines);
  return done;
}

bool gp_is_context_profile(const char *path) {
  return gp_file_begins(path, GP_CONTEXT_MAGIC);
}

/* --- the origin ------------------------------------------------------------- */

/* Finds the text whose size is at bytes[*at], and moves *at past it. False if the bytes
 * end before. */
static bool find_text(const unsigned char *bytes, size_t size, size_t *at,
                      gp_layout layout, gp_context_text *text) {
  if (size - *at < 4) return false;
  text->size = gp_u32(bytes + *at, layout);
  text->bytes = bytes + *at + 4;
  if (size - *at - 4 < text->size) return false;
  *at += 4 + text->size;
  return true;
}

gp_context_origin gp_context_find_origin(const unsigned char *bytes, size_t size) {
  gp_context_origin o = {.has_process = false};
  size_t at = GP_CONTEXT_HEADER;
  if (size < at || memcmp(bytes, GP_CONTEXT_MAGIC, strlen(GP_CONTEXT_MAGIC)) != 0)
    return o;
  gp_layout layout = {.big_endian = bytes[8] == 1};
  while (size - at >= GP_CONTEXT_SECTION) {
    const uint32_t kind = gp_u32(bytes + at, layout);
    const uint64_t length = gp_u64(bytes + at + 4, layout);
    at += GP_CONTEXT_SECTION;
    if (length > INT64_MAX) return o;
    if (kind == GP_CONTEXT_PROCESS && at == GP_CONTEXT_HEADER + GP_CONTEXT_SECTION &&
        length >= PROCESS_TIMES && size - at >= PROCESS_TIMES) {
      o.has_process = true;
      o.process = gp_u64(bytes + at, layout);
      o.parent = gp_u64(bytes + at + 8, layout);
      o.begin = gp_u64(bytes + at + 16, layout);
      o.written = gp_u64(bytes + at + 24, layout);
      o.executes = length >= PROCESS_TEXT && size - at >= PROCESS_TEXT &&
                   gp_u32(bytes + at + PROCESS_FLAGS, layout) & GP_CONTEXT_EXECUTES;
    }
    const size_t fixed = 4 + GP_CONTEXT_MODULE_SIZE;
    if (kind == GP_CONTEXT_MODULES && length >= fixed && size - at >= fixed) {
      at += fixed;
      o.has_program = find_text(bytes, size, &at, layout, &o.build_id) &&
                      find_text(bytes, size, &at, layout, &o.path);
    }
    if (kind == GP_CONTEXT_MODULES || kind == GP_CONTEXT_FUNCTIONS || length > size - at)
      return o;
    at += (size_t)length;
  }
  return o;
}
