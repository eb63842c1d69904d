/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the limits of demangled names.
 *
 * Parts: a choice, the name. The choice is the style, and whether names have parameters.
 *
 * Properties: a name is demangled quickly (libFuzzer's time limit), and its size is
 * limited. A name that was too large is not demangled.
 */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "object/demangle.h"

const size_t fuzz_part_count = 2;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const enum demangling_styles styles[] = {
      auto_demangling, gnu_v3_demangling, rust_demangling,
      java_demangling, dlang_demangling,  gnat_demangling};
  fuzz_part parts[2];
  fuzz_parts(data, size, parts, 2);
  unsigned choice = fuzz_byte(parts[0], 0);
  gp_demangler demangler = {0};
  char *name = strndup((const char *)parts[1].bytes, parts[1].size), *demangled;
  cplus_demangle_set_style(styles[choice / 2 % (sizeof styles / sizeof *styles)]);
  FUZZ_HOLDS(name && gp_demangle(&demangler, name, choice % 2 == 0, &demangled));
  FUZZ_HOLDS(!demangled || !demangler.refused);
  FUZZ_HOLDS(!demangled || strlen(demangled) <= GP_DEMANGLED_NAME);
  free(demangled);
  free(name);
  return 0;
}
