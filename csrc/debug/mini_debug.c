/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MiniDebugInfo: function names in a stripped image. */
#include "debug/mini_debug.h"

#include <stdlib.h>

#include "base/array.h"
#include "debug/same_build.h"
#include "object/section.h"

#define SECTION ".gnu_debugdata"

bool gp_mini_debug_present(const gp_image *image) {
  gp_section packed;
  gp_section_open(&packed, image, SECTION);
  return packed.size > 0;
}

/* Appends the image's dynamic symbols, which .gnu_debugdata does not repeat. */
static bool add_dynamic(gp_image *mini, const gp_image *image, gp_error *error) {
  long room = bfd_get_dynamic_symtab_upper_bound(image->file);
  size_t count = mini->symbol_count;
  if (room <= 0) return true;
  if (!gp_resize(&mini->symbols, count * sizeof *mini->symbols + (size_t)room, 1))
    return gp_fail_memory(error);
  long added = bfd_canonicalize_dynamic_symtab(image->file, mini->symbols + count);
  if (added > 0 && !gp_image_check_name_lengths(image, mini->symbols + count,
                                                (size_t)added, error))
    return false;
  if (added > 0) mini->symbol_count += (size_t)added;
  if (added > 0 && image->traits & GP_ISA_BIT)
    gp_elf_machine_clear_isa_bit(mini->symbols + count, (size_t)added);
  mini->symbols[mini->symbol_count] = NULL;
  return true;
}

static gp_image *open_packed(gp_section *packed, gp_unpack *unpack, gp_error *error) {
  size_t size = (size_t)packed->size, length;
  unsigned char *bytes = malloc(size + 1), *unpacked = NULL;
  const char *problem = "not enough memory";
  if (bytes && !gp_section_read(packed, 0, bytes, size)) problem = "cannot be read";
  else if (bytes) problem = unpack(bytes, size, &unpacked, &length);
  free(bytes);
  if (!problem) return gp_image_open_bytes(unpacked, length, error);
  gp_fail(error, "%s", problem);
  return NULL;
}

bool gp_mini_debug_attach(gp_image *image, gp_unpack *unpack, gp_error *error) {
  gp_section packed;
  if (image->mini_debug) return true;
  gp_section_open(&packed, image, SECTION);
  gp_image *mini = open_packed(&packed, unpack, error);
  gp_section_free(&packed);
  if (mini && gp_same_code(image, mini, error) &&
      (gp_image_read_symbols(mini, error) ||
       (mini->stripped && gp_fail(error, "has no symbols either"))) &&
      add_dynamic(mini, image, error)) {
    image->mini_debug = mini;
    return true;
  }
  gp_image_close(mini);
  return false;
}
