/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the readers of symbol files and of maps of object files.
 *
 * Parts: the file. It is read in four ways: as a symbol file and as a map, under our
 * policy and under GNU gprof's.
 *
 * Properties: an error is one line. Every symbol has a name, and in a map also an object
 * file; neither contains a line end. A lookup in a map finds every name.
 */
#include <string.h>

#include "../support.h"
#include "symbols/objmap.h"

const size_t fuzz_part_count = 1;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether a string is a part of one line of the file. */
static bool is_line_part(const gp_symfile *file, size_t size, const char *text) {
  const char *start = file->text.bytes;
  return text >= start && text + strlen(text) <= start + size &&
         !strchr(text, '\n');
}

static void check_symbols(const gp_symfile *file, size_t size) {
  for (size_t i = 0; i < file->count; i++) {
    FUZZ_HOLDS(is_line_part(file, size, file->name[i]));
    if (file->map) FUZZ_HOLDS(is_line_part(file, size, file->object[i]));
    if (file->policy == &gp_policy_default)
      FUZZ_HOLDS(file->name[i][0] != '\0' && file->type[i] != '\0');
  }
}

/* Checks lookups. A lookup finds the first line for a symbol; under GNU gprof's policy,
 * it may find any line for the symbol. */
static void check_map(const gp_symfile *file) {
  gp_objmap map;
  FUZZ_HOLDS(gp_objmap_build(&map, file, file->policy));
  for (uint32_t line = 0; line < file->count; line++) {
    uint32_t found = gp_objmap_find(&map, file->name[line]);
    FUZZ_HOLDS(found < file->count && (!file->policy->map_first_line || found <= line));
    FUZZ_HOLDS(strcmp(file->name[found], file->name[line]) == 0);
    FUZZ_HOLDS(line > 0 || gp_objmap_begins_object(&map, line));
    gp_objmap_begins_object(&map, line);
  }
  FUZZ_HOLDS(gp_objmap_find(&map, "no such\nname") == GP_NONE);
  gp_objmap_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part part;
  fuzz_parts(data, size, &part, 1);
  for (unsigned way = 0; way < 4; way++) {
    gp_symfile file;
    gp_error error = {""};
    fuzz_file from = fuzz_make_file(part, 0);
    const gp_policy *policy = way & 2 ? &gp_policy_gnu : &gp_policy_default;
    bool done = gp_symfile_read(&file, from.path, way & 1, policy, &error);
    fuzz_check_error(done, &error);
    if (!done) continue;
    check_symbols(&file, size);
    if (file.map) check_map(&file);
    gp_symfile_free(&file);
  }
  return 0;
}
