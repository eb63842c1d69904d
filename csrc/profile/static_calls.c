/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static calls: calls found in the code. */
#include "profile/static_calls.h"

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

/* Appends the calls in a symbol's code. Ignores calls to cold parts: no code calls a cold
 * part, so the decoded bytes are not instructions. */
static bool decode_symbol(gp_static_calls *calls, const gp_symtab *symtab,
                          uint32_t symbol, gp_range code, gp_disasm *decoder) {
  uint32_t caller = gp_symtab_owner(symtab, symbol);
  uint64_t address = code.low, target;
  while (address < code.high) {
    if (gp_disasm_next(decoder, &address, code.high, &target) != GP_DIRECT_CALL) continue;
    uint32_t callee = gp_symtab_at(symtab, target);
    if (callee == GP_NONE || gp_symtab_owner(symtab, callee) != callee) continue;
    if (!gp_static_calls_append(calls, caller, callee)) return false;
  }
  return true;
}

static bool decode(gp_static_calls *calls, const gp_image *image, const gp_symtab *symtab,
                   gp_disasm *decoder, gp_error *error) {
  gp_range text = {image->text_low, image->text_high};
  bool done = true;
  for (uint32_t s = 0; done && s < symtab->count; s++) {
    gp_range code = gp_range_clip(gp_symtab_range(symtab, s), text);
    done = decode_symbol(calls, symtab, s, code, decoder);
  }
  return (done || gp_fail_memory(error)) && gp_disasm_identifies_calls(decoder, error);
}

bool gp_static_calls_find(gp_static_calls *calls, const gp_image *image,
                          const gp_symtab *symtab, const gp_opcodes *opcodes,
                          gp_error *error) {
  gp_disasm decoder;
  memset(calls, 0, sizeof *calls);
  uint8_t *text = gp_disasm_text(image, error);
  if (!text) return false;
  bool done = gp_disasm_open(&decoder, image, text, opcodes, true, error) &&
              decode(calls, image, symtab, &decoder, error);
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
