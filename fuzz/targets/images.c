/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the readers of object files: symbols and their sizes, imports, notes, links to
 * debugging files, names in debugging information, MiniDebugInfo. `make mutants` tests
 * reports of larger images.
 *
 * Parts: choices (unused), the object file, the object file that stands for its unpacked
 * MiniDebugInfo.
 *
 * Properties: an error is one line. Symbols have names, and end after they begin. Time
 * and memory are limited.
 */
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "debug/mini_debug.h"
#include "object/build_id.h"
#include "object/debug_str.h"
#include "object/debuglink.h"
#include "object/imports.h"
#include "object/symbol_size.h"

const size_t fuzz_part_count = 3;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static fuzz_part unpacked;

/* Returns a copy of a part, allocated by malloc(). */
static unsigned char *copy_of(fuzz_part part) {
  unsigned char *bytes = malloc(part.size + 1);
  FUZZ_HOLDS(bytes);
  if (part.size > 0) memcpy(bytes, part.bytes, part.size);
  return bytes;
}

/* Takes the place of the decompressor. */
static const char *unpack(const unsigned char *packed, size_t size, unsigned char **bytes,
                          size_t *length) {
  (void)packed, (void)size;
  *bytes = copy_of(unpacked);
  *length = unpacked.size;
  return NULL;
}

static void check_symbols(const gp_image *image) {
  gp_symbol_sizes sizes;
  if (!image->symbols) return;
  bool sized = gp_symbol_sizes_open(&sizes, image);
  for (size_t i = 0; i < image->symbol_count; i++) {
    const asymbol *symbol = image->symbols[i];
    FUZZ_HOLDS(symbol && symbol->name);
    if (sized) gp_symbol_sizes_size(&sizes, i);
    if (sized) gp_symbol_sizes_end(&sizes, i);
  }
  if (sized) gp_symbol_sizes_close(&sizes);
}

static void check_links(const gp_image *image) {
  unsigned char id[GP_BUILD_ID_BYTES];
  uint32_t checksum;
  FUZZ_HOLDS(gp_build_id(image, id) <= sizeof id);
  gp_debuglink_check(image->file);
  free(gp_debuglink_debug(image->file, &checksum));
  free(gp_debuglink_supplementary(image->file));
  gp_debuglink_forget(image->file);
}

/* Searches for names in debugging information. */
static void check_strings(const gp_image *image) {
  gp_debug_str_has(image, "main");
  gp_debug_str_has(image, "");
}

static void check_imports(const gp_image *image) {
  size_t count = 0;
  gp_imports_mcount(image);
  char *names = gp_needed_libraries(image, &count);
  FUZZ_HOLDS(!names == (count == 0));
  const char *name = names;
  for (size_t i = 0; i < count; i++) name += strlen(name) + 1;
  free(names);
}

static void check_image(gp_image *image) {
  gp_error error = {""};
  bool done = gp_image_read_symbols(image, &error);
  fuzz_check_error(done, &error);
  check_symbols(image);
  check_links(image);
  check_imports(image);
  check_strings(image);
  if (!gp_mini_debug_present(image)) return;
  done = gp_mini_debug_attach(image, unpack, &error);
  fuzz_check_error(done, &error);
  if (done) check_symbols(image->mini_debug);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[3];
  gp_error error = {""};
  fuzz_parts(data, size, parts, 3);
  unpacked = parts[2];
  gp_image *image = gp_image_open_bytes(copy_of(parts[1]), parts[1].size, &error);
  fuzz_check_error(image != NULL, &error);
  if (image) check_image(image);
  gp_image_close(image);
  return 0;
}
