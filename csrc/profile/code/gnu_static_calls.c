/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static calls as GNU gprof finds them. */
#include "profile/code/gnu_static_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/range.h"
#include "object/disasm.h"

typedef struct search {
  gp_static_calls *calls;
  const gp_image *image;
  const gp_symtab *symtab;
  const gp_data *data;
  const uint8_t *text;
} search;

/* Returns the part of a symbol's code that a histogram covers. If several histograms
 * overlap the code, uses the one that was read first. */
static gp_range covered(const gp_data *data, gp_range code) {
  const gp_histogram *all = data->histograms;
  uint32_t first = GP_NONE, next = gp_data_histogram_above(data, code.low);
  for (; next != GP_NONE && all[next].low < code.high;
       next = gp_data_histogram_above(data, all[next].high))
    if (next < first) first = next;
  if (first == GP_NONE) return (gp_range){0, 0};
  return gp_range_clip(code, (gp_range){all[first].low, all[first].high});
}

enum { CALL = 0xe8, CALL_SIZE = 5 };

/* Searches a range for calls. An instruction must end within .text: the bytes after .text
 * are not known. */
static bool search_range(const search *s, uint32_t caller, gp_range code) {
  for (uint64_t address = code.low; address < code.high; address++) {
    const uint8_t *instruction = s->text + (address - s->image->text_low);
    if (*instruction != CALL || s->image->text_high - address < CALL_SIZE) continue;
    /* GNU gprof adds the displacement as an unsigned number, although it is signed. */
    uint64_t displacement = 0;
    for (int i = CALL_SIZE - 1; i > 0; i--)
      displacement = displacement << 8 | instruction[i];
    uint64_t target = address + CALL_SIZE + displacement;
    uint32_t callee = gp_symtab_at(s->symtab, target);
    uint32_t above = gp_data_histogram_above(s->data, target);
    bool is_covered = above != GP_NONE && s->data->histograms[above].low <= target;
    if (callee == GP_NONE || !is_covered) continue;
    if (!gp_static_calls_append(s->calls, caller, callee)) return false;
  }
  return true;
}

static bool search_text(const search *s, gp_error *error) {
  gp_range text = {s->image->text_low, s->image->text_high};
  for (uint32_t symbol = 0; symbol < s->symtab->count; symbol++) {
    gp_range code = covered(s->data, gp_symtab_range(s->symtab, symbol));
    if (!search_range(s, symbol, gp_range_clip(code, text))) return gp_fail_memory(error);
  }
  return true;
}

static bool find_on_x86(gp_static_calls *calls, const gp_image *image,
                        const gp_symtab *symtab, const gp_data *data, gp_error *error) {
  if (!(image->text->flags & SEC_HAS_CONTENTS)) return true;
  uint8_t *text = gp_disasm_text(image, image->text, error);
  if (!text) return false;
  search s = {calls, image, symtab, data, text};
  bool done = search_text(&s, error);
  free(text);
  if (!done) gp_static_calls_free(calls);
  return done;
}

bool gp_gnu_static_calls_find(gp_static_calls *calls, const gp_image *image,
                              const gp_symtab *symtab, const gp_data *data,
                              const gp_opcodes *opcodes, gp_error *error) {
  memset(calls, 0, sizeof *calls);
  if (bfd_get_arch(image->file) == bfd_arch_i386)
    return find_on_x86(calls, image, symtab, data, error);
  if (!gp_disasm_knows(image, opcodes)) return true;
  return gp_static_calls_find(calls, image, symtab, opcodes, error);
}
