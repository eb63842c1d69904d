/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What gmon.out cannot show about a program's calls.
 *
 * Calls and jumps are found by decoding the code. Addresses of functions are found by
 * looking at the bytes of all sections, at every offset: a number that happens to equal
 * the address of a function only adds a call that is possible.
 */
#include "profile/code/code_survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/range.h"
#include "base/sort.h"
#include "object/disasm.h"
#include "object/section.h"
#include "profile/callgraph.h"
#include "profile/code/quiet_functions.h"

/* The bytes of a PLT entry before its jump: endbr64 and a prefix. */
enum { STUB_PREFIX = 5 };

/* ELF for 64 bits: entries of tables of relocations with addends, and of symbols. */
enum { RELA_SIZE = 24, RELA_INFO = 8, RELA_ADDEND = 16, SYMBOL_SIZE = 24 };

typedef struct addresses {
  size_t count, capacity;
  uint64_t *address;            /* ascending, once sorted */
} addresses;

/* Roles of functions, by name. GLIBC: the functions of glibc that call those that switch
 * the recording off. */
enum { MCOUNT = 1, STOPS = 2, GLIBC = 4 };

/* Imported functions. */
typedef struct imports {
  addresses slots;              /* slots of the GOT with their addresses */
  addresses stubs;              /* jumps through these slots in the PLT */
} imports;

typedef struct survey {
  gp_code_survey *found;
  const gp_image *image;
  const gp_symtab *symtab;
  const uint32_t *function;
  uint32_t start;               /* the function at the entry point, or GP_NONE */
  gp_range constructors[3];     /* the sections with addresses of constructors */
  uint64_t got;                 /* address of the GOT; 0: there is none */
  imports mcount;
  imports quiet;                /* functions that never call the program */
  uint8_t *role;                /* per symbol: MCOUNT ... */
} survey;

static const char *const mcount_names[] = {"mcount", "_mcount", "__mcount", "__fentry__"};
static const char *const stop_names[] = {"moncontrol", "__moncontrol", "monstartup"};

static const char *const glibc_names[] = {"__gmon_start__", "__monstartup", "monstartup",
                                          "_mcleanup", "__mcleanup"};

static bool is_one_of(const char *name, const char *const *names, size_t count) {
  size_t length = strcspn(name, "@");  /* libbfd appends versions */
  for (size_t i = 0; i < count; i++)
    if (strlen(names[i]) == length && memcmp(name, names[i], length) == 0) return true;
  return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))

/* Returns the function whose code is at `address`, or GP_NONE. */
static uint32_t function_at(const survey *s, uint64_t address) {
  uint32_t symbol = gp_symtab_find(s->symtab, address);
  return symbol == GP_NONE ? GP_NONE : s->function[symbol];
}

static bool is_in_text(const survey *s, uint64_t address) {
  return address >= s->image->text_low && address < s->image->text_high;
}

/* Quickly excludes most numbers that are not addresses of functions. */
static bool is_in_code(const survey *s, uint64_t address) {
  return gp_range_has(s->image->code, address);
}

static bool is_entry(const survey *s, uint32_t function, uint64_t address) {
  return function != GP_NONE && s->symtab->address[function] == address;
}

static void add_flag(const survey *s, uint32_t function, unsigned flag) {
  s->found->flags[function] = (uint8_t)(s->found->flags[function] | flag);
}

/* --- imported functions ------------------------------------------------------- */

static bool append(addresses *list, uint64_t address) {
  if (!GP_RESERVE(&list->capacity, list->count + 1, GP_COLUMN(list->address)))
    return false;
  list->address[list->count++] = address;
  return true;
}

static bool is_below(const void *list, size_t row, uint64_t address) {
  return ((const uint64_t *)list)[row] < address;
}

/* Whether one of the sorted addresses is `address`, or at most `bytes` above. */
static bool is_listed(const addresses *list, uint64_t address, unsigned bytes) {
  size_t i = gp_search(list->address, 0, list->count, address, is_below);
  /* there are addresses: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  return i < list->count && list->address[i] - address <= bytes;
}

static bool find_roles(survey *s) {
  s->role = gp_column(s->symtab->count, sizeof *s->role);
  for (uint32_t f = 0; s->role && f < s->symtab->count; f++) {
    const char *name = s->symtab->name[f];
    s->role[f] = (uint8_t)((IS_ONE_OF(name, mcount_names) ? MCOUNT : 0) |
                           (IS_ONE_OF(name, stop_names) ? STOPS : 0) |
                           (IS_ONE_OF(name, glibc_names) ? GLIBC : 0));
  }
  return s->role != NULL;
}

/* The dynamic symbols, as the sections of the file store them. libbfd's list of dynamic
 * relocations is not used: libbfd keeps pointers into the symbols that it was first read
 * with. */
typedef struct dynamic {
  gp_contents symbols, names;
  gp_quiet_functions quiet;
} dynamic;

/* Whether a dynamic symbol has one of the names of mcount. */
static bool is_mcount_symbol(const dynamic *d, uint64_t symbol, gp_layout layout) {
  if (symbol >= d->symbols.size / SYMBOL_SIZE) return false;
  uint64_t name = gp_u32(d->symbols.bytes + symbol * SYMBOL_SIZE, layout);
  for (size_t i = 0; i < sizeof mcount_names / sizeof *mcount_names; i++) {
    size_t size = strlen(mcount_names[i]) + 1;
    if (name < d->names.size && size <= d->names.size - name &&
        memcmp(d->names.bytes + name, mcount_names[i], size) == 0)
      return true;
  }
  return false;
}

/* Finds slots in a section of relocations. */
static bool add_slots(survey *s, const dynamic *d, const char *section) {
  gp_layout layout = s->image->layout;
  gp_contents relocations;
  bool done = gp_section_contents(&relocations, s->image, section);
  for (uint64_t at = 0; done && at + RELA_SIZE <= relocations.size; at += RELA_SIZE) {
    const uint8_t *entry = relocations.bytes + at;
    uint64_t symbol = gp_u64(entry + RELA_INFO, layout) >> 32;
    uint64_t slot = gp_u64(entry, layout);
    if (is_mcount_symbol(d, symbol, layout))
      done = append(&s->mcount.slots, slot);
    else if (symbol < d->quiet.count && d->quiet.quiet[symbol])
      done = append(&s->quiet.slots, slot);
  }
  free(relocations.bytes);
  return done;
}

static void sort(addresses *list) {
  list->count = gp_sort_distinct(list->address, list->count);
}

/* Finds the slots of the GOT that the dynamic linker fills with the address of mcount, or
 * of functions that never call the program. */
static bool find_slots(survey *s) {
  dynamic d = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0}};
  bool done = gp_section_contents(&d.symbols, s->image, ".dynsym") &&
              gp_section_contents(&d.names, s->image, ".dynstr") &&
              gp_quiet_functions_find(&d.quiet, s->image->file) &&
              add_slots(s, &d, ".rela.dyn") && add_slots(s, &d, ".rela.plt");
  sort(&s->mcount.slots);
  sort(&s->quiet.slots);
  free(d.symbols.bytes);
  free(d.names.bytes);
  gp_quiet_functions_free(&d.quiet);
  return done;
}

/* Finds jumps through these slots in the PLT: ff 25, and a displacement. */
static bool find_stubs(survey *s, const uint8_t *bytes, gp_range range) {
  for (uint64_t a = range.low; range.high - a >= 6; a++, bytes++) {
    if (bytes[0] != 0xff || bytes[1] != 0x25) continue;
    uint64_t slot = a + 6 + (uint64_t)(int32_t)gp_u32(bytes + 2, s->image->layout);
    if (is_listed(&s->mcount.slots, slot, 0) && !append(&s->mcount.stubs, a))
      return false;
    if (is_listed(&s->quiet.slots, slot, 0) && !append(&s->quiet.stubs, a)) return false;
  }
  return true;
}

/* --- addresses of functions ---------------------------------------------------- */

/* Notes that the address of a function occurs in the function `where`; GP_NONE: in
 * data. */
static void note_address(survey *s, uint64_t address, uint32_t where, unsigned flag) {
  if (!is_in_code(s, address)) return;
  uint32_t function = function_at(s, address);
  if (!is_entry(s, function, address)) return;
  add_flag(s, function, where != GP_NONE && where == s->start ? GP_STARTED : flag);
}

/* Code: operands relative to the next instruction, after a byte that says so (mod 0, r/m
 * 5); offsets from the GOT (-mcmodel=large); and numbers of 32 bits, which are addresses
 * unless the code can be moved. Outside .text, where no calls and jumps are decoded, any
 * relative operand counts. */
static void scan_code(survey *s, const uint8_t *bytes, gp_range range) {
  bool fixed = !(s->image->file->flags & DYNAMIC), in_text = is_in_text(s, range.low);
  for (uint64_t a = range.low; range.high - a >= 4; a++, bytes++) {
    uint32_t value = gp_u32(bytes, s->image->layout);
    uint64_t target = a + 4 + (uint64_t)(int32_t)value;
    bool relative = !in_text || (a > range.low && (bytes[-1] & 0xc7) == 5);
    uint64_t from_got = s->got + (uint64_t)(int32_t)value;
    if (relative) note_address(s, target, function_at(s, a), GP_EXPOSED);
    if (s->got != 0 && is_in_code(s, from_got))
      note_address(s, from_got, function_at(s, a), GP_EXPOSED);
    if (fixed && is_in_code(s, value))
      note_address(s, value, function_at(s, a), GP_EXPOSED);
  }
}

/* Data: addresses, and offsets from where they are. */
static void scan_data(survey *s, const uint8_t *bytes, gp_range range, unsigned flag) {
  for (uint64_t a = range.low; range.high - a >= 4; a++, bytes++) {
    uint32_t value = gp_u32(bytes, s->image->layout);
    note_address(s, value, GP_NONE, flag);
    if (a % 4 == 0)
      note_address(s, a + (uint64_t)(int32_t)value, GP_NONE, flag);
    if (range.high - a >= 8 && s->image->code.high > UINT32_MAX)
      note_address(s, gp_u64(bytes, s->image->layout), GP_NONE, flag);
  }
}

static bool is_constructor_slot(const survey *s, uint64_t address) {
  for (size_t i = 0; i < sizeof s->constructors / sizeof *s->constructors; i++)
    if (gp_range_has(s->constructors[i], address)) return true;
  return false;
}

/* Sections that describe code or symbols, and whose addresses no program calls. */
static bool is_description(const char *name) {
  static const char *const prefixes[] = {".eh_frame", ".gcc_except_table", ".dynsym",
                                         ".dynstr", ".gnu.", ".hash", ".note", ".interp",
                                         ".sframe"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

static void scan_section(survey *s, const asection *section, const uint8_t *bytes,
                         uint64_t size) {
  gp_range range = {section->vma, section->vma + size};
  if (section->flags & SEC_CODE)
    scan_code(s, bytes, range);
  else if (strncmp(section->name, ".rela", 5) == 0)
    for (; size >= RELA_SIZE; size -= RELA_SIZE, bytes += RELA_SIZE)
      note_address(s, gp_u64(bytes + RELA_ADDEND, s->image->layout), GP_NONE,
                   is_constructor_slot(s, gp_u64(bytes, s->image->layout)) ? GP_STARTED
                                                                           : GP_EXPOSED);
  else
    scan_data(s, bytes, range,
              is_constructor_slot(s, range.low) ? GP_STARTED : GP_EXPOSED);
}

typedef enum scan { STUBS, ADDRESSES } scan;

/* Whether the section is loaded into memory, from the file, and not a description. */
static bool is_scanned(const asection *section) {
  const flagword needed = SEC_ALLOC | SEC_HAS_CONTENTS;
  return (section->flags & needed) == needed && !is_description(section->name) &&
         bfd_section_size(section) > 0;
}

/* Reads these sections for one of two scans. */
static bool scan_sections(survey *s, scan which, gp_error *error) {
  bfd *file = s->image->file;
  bool done = true;
  for (asection *section = file->sections; done && section; section = section->next) {
    bfd_byte *bytes = NULL;
    if (!is_scanned(section)) continue;
    if (which == STUBS && (section == s->image->text || !(section->flags & SEC_CODE)))
      continue;
    if (!bfd_get_full_section_contents(file, section, &bytes) || !bytes)
      return gp_fail(error, "section %s: %s", section->name, bfd_errmsg(bfd_get_error()));
    gp_range range = {section->vma, section->vma + bfd_section_size(section)};
    if (which == STUBS)
      done = find_stubs(s, bytes, range) || gp_fail_memory(error);
    else
      scan_section(s, section, bytes, bfd_section_size(section));
    free(bytes);
  }
  return done;
}

/* Exported functions may be called by libraries. */
static bool find_exports(survey *s) {
  bfd *file = s->image->file;
  long room = bfd_get_dynamic_symtab_upper_bound(file);
  if (room <= 0) return true;
  asymbol **symbols = malloc((size_t)room);
  if (!symbols) return false;
  long count = bfd_canonicalize_dynamic_symtab(file, symbols);
  for (long i = 0; i < count; i++)
    if (bfd_asymbol_section(symbols[i])->flags & SEC_CODE)
      note_address(s, bfd_asymbol_value(symbols[i]), GP_NONE, GP_EXPOSED);
  free(symbols);
  return count >= 0;
}

/* --- calls and jumps ------------------------------------------------------------ */

static bool add_site(survey *s, uint32_t caller, uint64_t address) {
  gp_code_survey *found = s->found;
  if (!GP_RESERVE(&found->site_capacity, found->sites + 1, GP_COLUMN(found->site),
                  GP_COLUMN(found->site_function)))
    return false;
  found->site[found->sites] = address;
  found->site_function[found->sites++] = caller;
  return true;
}

/* Takes a call or a jump that leaves the table, usually to a stub of the PLT. The stub is
 * in the range of the symbol before it. */
static bool take_stub(survey *s, uint32_t caller, uint64_t target, bool jump) {
  gp_code_survey *found = s->found;
  uint32_t callee = function_at(s, target);
  if (!is_listed(&s->quiet.stubs, target, STUB_PREFIX))
    add_flag(s, caller, jump ? GP_JUMPS_OUT : GP_CALLS_OUT);
  return callee == GP_NONE || callee == caller ||
         gp_static_calls_append(jump ? &found->stub_jumps : &found->stub_calls, caller,
                                callee);
}

/* Takes a call or a jump that ends before the address `next`. */
static bool take_branch(survey *s, uint32_t caller, uint64_t target, uint64_t next,
                        bool jump) {
  gp_code_survey *found = s->found;
  uint32_t function = function_at(s, target);
  /* symbols extend to the next one, even if that is in another section */
  bool is_code = is_in_text(s, target) || is_entry(s, function, target);
  uint32_t callee = is_code ? function : GP_NONE;
  if (is_listed(&s->mcount.stubs, target, STUB_PREFIX) ||
      (function != GP_NONE && s->role[function] & MCOUNT)) {
    add_flag(s, caller, GP_INSTRUMENTED);
    return true;
  }
  if (!jump && !add_site(s, caller, next)) return false;
  if (callee == caller && jump) return true;
  if (callee == GP_NONE || is_listed(&s->quiet.stubs, target, STUB_PREFIX))
    return take_stub(s, caller, target, jump);
  if (callee != caller && s->role[callee] & STOPS && !(s->role[caller] & GLIBC))
    found->stops_recording = true;
  return gp_static_calls_append(jump ? &found->jumps : &found->calls, caller, callee);
}

/* Takes an instruction that ends before the address `next`. */
static bool take_instruction(survey *s, uint32_t function, gp_instruction kind,
                             uint64_t target, uint64_t next) {
  switch (kind) {
    case GP_DIRECT_CALL:
      return take_branch(s, function, target, next, false);
    case GP_SLOT_CALL:
      if (is_listed(&s->mcount.slots, target, 0)) {
        add_flag(s, function, GP_INSTRUMENTED);
        return true;
      }
      if (is_listed(&s->quiet.slots, target, 0)) return add_site(s, function, next);
      /* fall through */
    case GP_INDIRECT_CALL:
      add_flag(s, function, GP_CALLS_OUT);
      return add_site(s, function, next);
    case GP_JUMP:
    case GP_CONDITIONAL_JUMP:
      if (target != 0) return take_branch(s, function, target, next, true);
      add_flag(s, function, GP_JUMPS_OUT);
      return true;
    default:
      return true;
  }
}

static bool decode(survey *s, const uint8_t *text, const gp_opcodes *opcodes,
                   gp_error *error) {
  gp_disasm decoder;
  gp_range all = {s->image->text_low, s->image->text_high};
  if (!gp_disasm_open(&decoder, s->image, text, opcodes, false, error)) return false;
  bool done = true;
  for (uint32_t symbol = 0; done && symbol < s->symtab->count; symbol++) {
    gp_range code = gp_range_clip(gp_symtab_range(s->symtab, symbol), all);
    uint64_t address = code.low, target = 0;
    while (done && address < code.high) {
      gp_instruction kind = gp_disasm_next(&decoder, &address, code.high, &target);
      done = take_instruction(s, s->function[symbol], kind, target, address);
    }
  }
  gp_disasm_close(&decoder);
  return done || gp_fail_memory(error);
}

/* Drops the calls of instrumented functions, because these are recorded. */
static void drop_recorded(gp_code_survey *found) {
  gp_static_calls *calls = &found->calls;
  size_t kept = 0;
  for (size_t i = 0; i < calls->count; i++) {
    if (found->flags[calls->callee[i]] & GP_INSTRUMENTED) continue;
    calls->caller[kept] = calls->caller[i];
    calls->callee[kept++] = calls->callee[i];
  }
  calls->count = kept;
}

/* --- the survey ----------------------------------------------------------------- */

/* Whether the sections to scan have more bytes than the file. Sections of real programs
 * do not overlap. Without this limit, scanning would take time in proportion to what
 * headers claim. */
static bool has_too_much(bfd *file) {
  uint64_t left = bfd_get_file_size(file);
  for (const asection *section = file->sections; section; section = section->next) {
    if (!is_scanned(section)) continue;
    if (bfd_section_size(section) > left) return true;
    left -= bfd_section_size(section);
  }
  return false;
}

static const char *find_problem(const gp_image *image) {
  bfd *file = image->file;
  if (bfd_get_flavour(file) != bfd_target_elf_flavour ||
      bfd_get_arch(file) != bfd_arch_i386 || image->layout.pointer_size != 8)
    return "the program is not an ELF file for x86-64";
  if (has_too_much(file))
    return "sections of the program overlap, or extend beyond its file";
  return NULL;
}

/* Finds where _GLOBAL_OFFSET_TABLE_ is. */
static void find_got(survey *s) {
  const asection *got = bfd_get_section_by_name(s->image->file, ".got.plt");
  if (!got) got = bfd_get_section_by_name(s->image->file, ".got");
  s->got = got ? got->vma : 0;
}

static void find_constructors(survey *s) {
  static const char *const names[] = {".preinit_array", ".init_array", ".ctors"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const asection *section = bfd_get_section_by_name(s->image->file, names[i]);
    if (!section) continue;
    s->constructors[i] = (gp_range){section->vma, section->vma + section->size};
  }
}

static bool make(survey *s, const gp_opcodes *opcodes, gp_error *error) {
  uint8_t *text = gp_disasm_text(s->image, s->image->text, error);
  if (!text) return false;
  s->start = function_at(s, bfd_get_start_address(s->image->file));
  find_constructors(s);
  find_got(s);
  /* Code outside .text is not decoded, and may do anything. */
  for (uint32_t f = 0; f < s->symtab->count; f++)
    if (!is_in_text(s, s->symtab->address[f])) add_flag(s, f, GP_CALLS_OUT);
  bool done = ((find_roles(s) && find_slots(s)) || gp_fail_memory(error)) &&
              scan_sections(s, STUBS, error) &&
              (find_exports(s) || gp_fail_memory(error)) &&
              scan_sections(s, ADDRESSES, error);
  sort(&s->mcount.stubs);
  sort(&s->quiet.stubs);
  done = done && decode(s, text, opcodes, error);
  if (done) drop_recorded(s->found);
  free(text);
  return done;
}

uint32_t *gp_code_functions(const gp_symtab *symtab) {
  uint32_t *function = gp_callgraph_entered(symtab);
  for (uint32_t s = 0; function && s < symtab->count; s++)
    if (function[s] == GP_NONE) function[s] = s;
  return function;
}

bool gp_code_survey_make(gp_code_survey *found, const gp_image *image,
                         const gp_symtab *symtab, const uint32_t *function,
                         const gp_opcodes *opcodes, const char **problem,
                         gp_error *error) {
  memset(found, 0, sizeof *found);
  *problem = find_problem(image);
  if (*problem) return true;
  survey s = {.found = found, .image = image, .symtab = symtab, .function = function};
  found->flags = gp_column(symtab->count, sizeof *found->flags);
  bool done = found->flags ? make(&s, opcodes, error) : gp_fail_memory(error);
  free(s.mcount.slots.address);
  free(s.mcount.stubs.address);
  free(s.quiet.slots.address);
  free(s.quiet.stubs.address);
  free(s.role);
  if (!done) gp_code_survey_free(found);
  return done;
}

void gp_code_survey_free(gp_code_survey *found) {
  free(found->flags);
  gp_static_calls_free(&found->calls);
  gp_static_calls_free(&found->jumps);
  gp_static_calls_free(&found->stub_calls);
  gp_static_calls_free(&found->stub_jumps);
  free(found->site);
  free(found->site_function);
  memset(found, 0, sizeof *found);
}
