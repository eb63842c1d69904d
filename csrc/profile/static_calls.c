/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that are found in the code. */
#include "profile/static_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/disasm.h"

/* The symbol that begins at `address`, or GP_NONE. */
static uint32_t symbol_at(const gp_symtab *symtab, uint64_t address) {
  uint32_t above = gp_symtab_above(symtab, address);
  return above > 0 && symtab->address[above - 1] == address ? above - 1 : GP_NONE;
}

static bool append(gp_static_calls *calls, uint32_t caller, uint32_t callee) {
  if (calls->count == calls->capacity) {
    size_t room = gp_capacity(calls->capacity, calls->count + 1);
    if (!gp_resize(&calls->caller, room, sizeof *calls->caller) ||
        !gp_resize(&calls->callee, room, sizeof *calls->callee))
      return false;
    calls->capacity = room;
  }
  calls->caller[calls->count] = caller;
  calls->callee[calls->count++] = callee;
  return true;
}

/* The bytes of .text; to be freed. NULL, and an error, if there are none. */
static uint8_t *read_text(const gp_image *image, gp_error *error) {
  bfd_byte *bytes = NULL;
  if (!(image->text->flags & SEC_HAS_CONTENTS))
    gp_fail(error, "static calls: the section .text has no contents");
  else if (!bfd_get_full_section_contents(image->file, image->text, &bytes) || !bytes)
    gp_fail(error, "static calls: section .text: %s", bfd_errmsg(bfd_get_error()));
  return bytes;
}

/* Addresses from `first` to before `end`. */
typedef struct range {
  uint64_t first, end;
} range;

static range intersect(range a, uint64_t first, uint64_t end) {
  if (a.first < first) a.first = first;
  if (a.end > end) a.end = end;
  return a;
}

/* The addresses of a symbol. */
static range span_of(const gp_symtab *symtab, uint32_t symbol) {
  uint64_t last = gp_symtab_end(symtab, symbol);
  return (range){symtab->address[symbol], last == UINT64_MAX ? last : last + 1};
}

static range in_text(const gp_image *image, range code) {
  return intersect(code, image->text_low, image->text_high);
}

/* --- decoding -------------------------------------------------------------- */

/* Nobody calls a cold part: what looks so is no instruction of the program's. */
static bool decode_symbol(gp_static_calls *calls, const gp_symtab *symtab,
                          uint32_t symbol, range code, gp_disasm *decoder) {
  uint32_t caller = gp_symtab_owner(symtab, symbol);
  uint64_t address = code.first, target;
  while (address < code.end) {
    if (!gp_disasm_next(decoder, &address, code.end, &target)) continue;
    uint32_t callee = symbol_at(symtab, target);
    if (callee == GP_NONE || gp_symtab_owner(symtab, callee) != callee) continue;
    if (!append(calls, caller, callee)) return false;
  }
  return true;
}

static bool decode(gp_static_calls *calls, const gp_image *image, const gp_symtab *symtab,
                   gp_disasm *decoder, gp_error *error) {
  bool done = true;
  for (uint32_t s = 0; done && s < symtab->count; s++)
    done = decode_symbol(calls, symtab, s, in_text(image, span_of(symtab, s)), decoder);
  return (done || gp_fail_memory(error)) && gp_disasm_tells_calls(decoder, error);
}

bool gp_static_calls_find(gp_static_calls *calls, const gp_image *image,
                          const gp_symtab *symtab, const gp_opcodes *opcodes,
                          gp_error *error) {
  gp_disasm decoder;
  memset(calls, 0, sizeof *calls);
  uint8_t *text = read_text(image, error);
  if (!text) return false;
  bool done = gp_disasm_open(&decoder, image, text, opcodes, error) &&
              decode(calls, image, symtab, &decoder, error);
  gp_disasm_close(&decoder);
  free(text);
  if (!done) gp_static_calls_free(calls);
  return done;
}

/* --- as GNU gprof does it -------------------------------------------------- */

/* A search, and what it needs to know. */
typedef struct search {
  gp_static_calls *calls;
  const gp_image *image;
  const gp_symtab *symtab;
  const gp_data *data;
  const uint8_t *text;
} search;

static bool is_covered(const gp_data *data, uint64_t address) {
  uint32_t above = gp_data_histogram_above(data, address);
  return above != GP_NONE && data->histograms[above].low <= address;
}

/* Of a symbol's code what is covered by one histogram: of several, by that which was
 * read first. */
static range covered(const gp_data *data, range code) {
  const gp_histogram *all = data->histograms;
  uint32_t first = GP_NONE, next = gp_data_histogram_above(data, code.first);
  for (; next != GP_NONE && all[next].low < code.end;
       next = gp_data_histogram_above(data, all[next].high))
    if (next < first) first = next;
  if (first == GP_NONE) return (range){0, 0};
  return intersect(code, all[first].low, all[first].high);
}

enum { CALL = 0xe8, CALL_SIZE = 5 };

/* The displacement is a signed number, but it is added as if it were none. */
static uint64_t forward_target(const uint8_t *instruction, uint64_t address) {
  uint64_t displacement = 0;
  for (int i = CALL_SIZE - 1; i > 0; i--)
    displacement = displacement << 8 | instruction[i];
  return address + CALL_SIZE + displacement;
}

/* What lies behind .text is not known; so an instruction must end in it. */
static bool search_range(const search *s, uint32_t caller, range code) {
  for (uint64_t address = code.first; address < code.end; address++) {
    const uint8_t *instruction = s->text + (address - s->image->text_low);
    if (*instruction != CALL || s->image->text_high - address < CALL_SIZE) continue;
    uint64_t target = forward_target(instruction, address);
    uint32_t callee = symbol_at(s->symtab, target);
    if (callee == GP_NONE || !is_covered(s->data, target)) continue;
    if (!append(s->calls, caller, callee)) return false;
  }
  return true;
}

static bool search_text(const search *s, gp_error *error) {
  for (uint32_t symbol = 0; symbol < s->symtab->count; symbol++) {
    range code = covered(s->data, span_of(s->symtab, symbol));
    if (!search_range(s, symbol, in_text(s->image, code))) return gp_fail_memory(error);
  }
  return true;
}

static bool find_on_x86(gp_static_calls *calls, const gp_image *image,
                        const gp_symtab *symtab, const gp_data *data, gp_error *error) {
  if (!(image->text->flags & SEC_HAS_CONTENTS)) return true;
  uint8_t *text = read_text(image, error);
  if (!text) return false;
  search s = {calls, image, symtab, data, text};
  bool done = search_text(&s, error);
  free(text);
  if (!done) gp_static_calls_free(calls);
  return done;
}

bool gp_static_calls_find_as_gnu(gp_static_calls *calls, const gp_image *image,
                                 const gp_symtab *symtab, const gp_data *data,
                                 const gp_opcodes *opcodes, gp_error *error) {
  memset(calls, 0, sizeof *calls);
  if (bfd_get_arch(image->file) == bfd_arch_i386)
    return find_on_x86(calls, image, symtab, data, error);
  if (!gp_disasm_knows(image, opcodes)) return true;
  return gp_static_calls_find(calls, image, symtab, opcodes, error);
}

void gp_static_calls_free(gp_static_calls *calls) {
  free(calls->caller);
  free(calls->callee);
  memset(calls, 0, sizeof *calls);
}
