/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static calls: calls found in the code. */
#include "profile/code/static_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/disasm.h"

bool gp_static_calls_append(gp_static_calls *calls, uint32_t caller, uint32_t callee) {
  if (!GP_RESERVE(&calls->capacity, calls->count + 1, GP_COLUMN(calls->caller),
                  GP_COLUMN(calls->callee)))
    return false;
  calls->caller[calls->count] = caller;
  calls->callee[calls->count++] = callee;
  return true;
}

/* --- decoding -------------------------------------------------------------- */

/* Returns the function that a call of an address enters, or GP_NONE. */
static uint32_t entered_at(const gp_symtab *symtab, uint64_t target,
                           const gp_disasm *decoder) {
  uint32_t callee = gp_symtab_at(symtab, target);
  if (callee != GP_NONE || !decoder->local_entries) return callee;
  return gp_symtab_at(symtab, target - GP_LOCAL_ENTRY);
}

/* Appends the calls in a symbol's code. Ignores calls to cold parts: no code calls a cold
 * part, so the decoded bytes are not instructions. */
static bool decode_symbol(gp_static_calls *calls, const gp_symtab *symtab,
                          uint32_t symbol, gp_range code, gp_disasm *decoder) {
  uint32_t caller = gp_symtab_owner(symtab, symbol);
  uint64_t address = code.low, target;
  while (address < code.high) {
    if (gp_disasm_next(decoder, &address, code.high, &target) != GP_DIRECT_CALL) continue;
    uint32_t callee = entered_at(symtab, target, decoder);
    if (callee == GP_NONE || gp_symtab_owner(symtab, callee) != callee) continue;
    if (!gp_static_calls_append(calls, caller, callee)) return false;
  }
  return true;
}

/* Appends the calls in a section, whose bytes the decoder has. */
static bool decode_section(gp_static_calls *calls, const gp_symtab *symtab,
                           gp_range section, gp_disasm *decoder) {
  bool done = true;
  uint32_t s = gp_symtab_above(symtab, section.low);
  for (s = s > 0 ? s - 1 : 0; done && s < symtab->count; s++) {
    if (symtab->address[s] >= section.high) break;
    gp_range code = gp_range_clip(gp_symtab_range(symtab, s), section);
    done = decode_symbol(calls, symtab, s, code, decoder);
  }
  return done;
}

/* Appends the calls in the other sections with code. Together, they may claim as many
 * bytes as .text may. */
static bool decode_others(gp_static_calls *calls, const gp_image *image,
                          const gp_symtab *symtab, gp_disasm *decoder,
                          gp_error *error) {
  uint64_t left = gp_image_code_limit(image);
  bool done = true;
  for (asection *s = image->file->sections; done && s; s = s->next) {
    gp_range code = gp_image_code_of(image, s);
    bool wanted = gp_image_has_code(image, s) && (s->flags & SEC_HAS_CONTENTS) &&
                  bfd_section_size(s) <= left;
    if (s == image->text || !wanted) continue;
    left -= bfd_section_size(s);
    uint8_t *text = gp_disasm_text(image, s, error);
    if (!text) return false;
    decoder->text = text;
    decoder->low = code.low;
    done = decode_section(calls, symtab, code, decoder);
    free(text);
  }
  return (done || gp_fail_memory(error)) && gp_disasm_identifies_calls(decoder, error);
}

bool gp_static_calls_find(gp_static_calls *calls, const gp_image *image,
                          const gp_symtab *symtab, const gp_opcodes *opcodes,
                          gp_error *error) {
  gp_disasm decoder;
  gp_range code = {image->text_low, image->text_high};
  memset(calls, 0, sizeof *calls);
  uint8_t *text = gp_disasm_text(image, image->text, error);
  if (!text) return false;
  bool done = gp_disasm_open(&decoder, image, text, opcodes, true, error) &&
              (decode_section(calls, symtab, code, &decoder) || gp_fail_memory(error)) &&
              decode_others(calls, image, symtab, &decoder, error);
  gp_disasm_close(&decoder);
  free(text);
  if (!done) gp_static_calls_free(calls);
  return done;
}

void gp_static_calls_free(gp_static_calls *calls) {
  free(calls->caller);
  free(calls->callee);
  memset(calls, 0, sizeof *calls);
}
