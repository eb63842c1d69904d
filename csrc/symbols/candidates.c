/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the symbols that become functions. */
#include "symbols/candidates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/opd.h"
#include "symbols/clone_suffix.h"
#include "symbols/objmap.h"

static bool append(gp_candidates *chosen, const gp_candidate *c, gp_error *error) {
  if (!GP_RESERVE(&chosen->capacity, chosen->count + 1, GP_COLUMN(chosen->rows)))
    return gp_fail_memory(error);
  chosen->rows[chosen->count++] = *c;
  return true;
}

static void trace_chosen(const gp_trace *trace, const gp_candidate *c) {
  GP_TRACE(trace, GP_TRACE_SYMBOLS, "0x%" PRIx64 " %s is chosen: %s, %s", c->address,
           c->name, c->flags & GP_FUNCTION ? "a function" : "a label",
           c->flags & GP_STATIC ? "static" : "global");
}

/* --- names on particular machines ------------------------------------------ */

static bool is_mark(const gp_image *image, const char *name) {
  return image->traits & GP_MAPPING_SYMBOLS && gp_elf_machine_is_mapping_symbol(name);
}

/* Returns the name of a function. On machines with function descriptors, the code of "f"
 * has the symbol ".f". For ".f" this returns "f". */
static const char *function_name(const gp_image *image, const char *name) {
  bool dotted = image->traits & GP_DESCRIPTORS && name[0] == '.' && name[1];
  return dotted ? name + 1 : name;
}

/* --- from an image --------------------------------------------------------- */

/* The data that the choice of an image's symbols depends on. */
typedef struct choosing {
  const gp_image *image;
  const gp_symtab_options *options;
  const char *last_name;  /* the last name in the string table, for gp_clone_gnu_accepts;
                             NULL with the policy bounded_names */
} choosing;

/* Returns the highest pointer to a name in the image's string table. Skips names that are
 * stored elsewhere: names of section symbols and of libbfd's synthetic symbols, and
 * versioned names ("puts@GLIBC_2.2.5"). */
static const char *highest_name(const gp_image *image) {
  const char *highest = NULL;
  for (size_t i = 0; i < image->symbol_count; i++) {
    const asymbol *symbol = image->symbols[i];
    if (symbol->flags & (BSF_SECTION_SYM | BSF_SYNTHETIC) || !symbol->name) continue;
    if (symbol->name > highest && !strchr(symbol->name, '@')) highest = symbol->name;
  }
  return highest;
}

/* Whether GNU gprof accepts a local symbol as a function. */
static bool gnu_accepts_local(const choosing *c, const asymbol *symbol) {
  const char *name = symbol->name;
  if (c->image->leading && name[0] != c->image->leading) return false;
  if (strncmp(name, "__gnu_compiled", 14) == 0) return false;
  if (strncmp(name, "___gnu_compiled", 15) == 0) return false;
  if (c->options->functions_only && !(symbol->flags & BSF_FUNCTION)) return false;
  const char *limit = symbol->flags & BSF_SYNTHETIC ? NULL : c->last_name;
  return gp_clone_gnu_accepts(name, limit);
}

/* Whether a symbol is a function; if so, sets its flags. */
static bool choose(const choosing *c, asymbol *symbol, uint8_t *flags) {
  const asection *section = symbol->section;
  if (!section || !symbol->name || symbol->flags & BSF_DEBUGGING) return false;
  bool debugging = (section->flags & SEC_DEBUGGING) != 0;
  if (debugging && c->options->policy->debugging_skipped) return false;
  if (c->image->traits & GP_DESCRIPTORS) {  /* two symbols may name the same function */
    bool is_descriptor = strcmp(section->name, ".opd") == 0;
    if (c->options->policy->descriptor_names ? is_descriptor : gp_opd_is_extra(symbol))
      return false;
  }
  int class = bfd_decode_symclass(symbol);
  bool typed = !c->image->typed ||
               (symbol->flags & (BSF_FUNCTION | BSF_GNU_INDIRECT_FUNCTION)) != 0;
  bool local = class == 't';
  *flags = typed ? GP_FUNCTION : 0;
  bool gnu_accepts =
      class == 'T' || class == 'W' || (local && gnu_accepts_local(c, symbol));
  if (!gnu_accepts) {
    if (!c->options->policy->typed_functions || !c->image->typed || !typed) return false;
    if (!(section->flags & SEC_CODE) || !*symbol->name) return false;
    if (is_mark(c->image, symbol->name)) return false;
    local = (symbol->flags & BSF_LOCAL) != 0;
  }
  if (local) *flags |= GP_STATIC;
  return true;
}

/* Source files are numbered by their BSF_FILE symbols: the local symbols of a file follow
 * its BSF_FILE symbol. */
static bool choose_from_image(gp_candidates *chosen, gp_image *image,
                              const gp_symtab_options *options, gp_error *error) {
  const gp_policy *policy = options->policy;
  image = gp_image_for_symbols(image, !policy->debug_files);
  if (!gp_image_read_symbols(image, error)) return false;
  choosing how = {.image = image, .options = options};
  uint32_t file = GP_UNKNOWN_FILE;
  if (!policy->bounded_names) how.last_name = highest_name(image);
  chosen->table_size = image->symbol_count;
  for (size_t i = 0; i < image->symbol_count; i++) {
    gp_candidate c = {.order = (uint32_t)i, .owner = GP_NONE};
    asymbol *symbol = image->symbols[i];
    if (symbol->flags & BSF_FILE) file = (uint32_t)i + 1;
    if (!choose(&how, symbol, &c.flags)) {
      GP_TRACE(options->trace, GP_TRACE_SYMBOLS, "0x%" PRIx64 " %s is not a function",
               (uint64_t)(symbol->section ? bfd_asymbol_value(symbol) : symbol->value),
               symbol->name ? symbol->name : "(no name)");
      continue;
    }
    c.name = policy->descriptor_names ? function_name(image, symbol->name) : symbol->name;
    c.address = bfd_asymbol_value(symbol);
    c.file = c.flags & GP_STATIC ? file : 0;
    trace_chosen(options->trace, &c);
    if (!append(chosen, &c, error)) return false;
  }
  chosen->last_file = file;
  return true;
}

/* --- from a symbol file ---------------------------------------------------- */

/* Applies the conventions of the image's machine to a symbol. An nm that was built for
 * another machine does not: it also prints mapping symbols, and does not clear bit 0 of
 * addresses, which selects an instruction set. False if the symbol is not a function. */
static bool adapt_to_machine(const gp_image *image, gp_candidate *c) {
  if (is_mark(image, c->name)) return false;
  if (image->traits & GP_ISA_BIT) c->address &= ~UINT64_C(1);
  c->name = function_name(image, c->name);
  return true;
}

/* Every symbol whose type letter is in `symfile_types` becomes a function. */
static bool choose_from_file(gp_candidates *chosen, const gp_symfile *file,
                             const gp_image *image, const gp_symtab_options *options,
                             gp_error *error) {
  const gp_policy *policy = options->policy;
  chosen->table_size = file->count;
  chosen->last_file = GP_UNKNOWN_FILE;
  for (size_t i = 0; i < file->count; i++) {
    if (!strchr(policy->symfile_types, file->type[i])) {
      GP_TRACE(options->trace, GP_TRACE_SYMBOLS,
               "0x%" PRIx64 " %s is not a function: type %c", file->address[i],
               file->name[i], file->type[i]);
      continue;
    }
    bool local = file->type[i] == 't';
    gp_candidate c = {.address = file->address[i],
                      .name = file->name[i],
                      .order = (uint32_t)i,
                      .file = local ? GP_UNKNOWN_FILE : 0,
                      .owner = GP_NONE,
                      .flags = local ? GP_FUNCTION | GP_STATIC : GP_FUNCTION};
    if (policy->symfile_by_machine && !adapt_to_machine(image, &c)) continue;
    trace_chosen(options->trace, &c);
    if (!append(chosen, &c, error)) return false;
  }
  return true;
}

/* --- maps ------------------------------------------------------------------ */

/* Gives each symbol in the map the name of its object file. */
static void rename_mapped(gp_candidates *chosen, const gp_image *image,
                          const gp_objmap *map) {
  size_t kept = 0;
  for (size_t i = 0; i < chosen->count; i++) {
    gp_candidate c = chosen->rows[i];
    uint32_t line = gp_objmap_find(map, gp_image_plain_name(image, c.name));
    if (line != GP_NONE) {
      bool whole = map->policy->map_whole_objects;
      if (!whole && !gp_objmap_begins_object(map, line)) continue;
      c.name = map->lines->object[line];
      c.flags |= GP_MAPPED;
    }
    chosen->rows[kept++] = c;
  }
  chosen->count = kept;
}

static bool apply_map(gp_candidates *chosen, const gp_image *image,
                      const gp_symtab_options *options, gp_error *error) {
  gp_objmap map;
  if (!gp_objmap_build(&map, options->map, options->policy))
    return gp_fail_memory(error);
  rename_mapped(chosen, image, &map);
  gp_objmap_free(&map);
  return true;
}

/* --- shared libraries -------------------------------------------------------- */

/* Adds a function for the stubs in .plt. Without it, the time of the stubs would go to
 * the function before .plt. */
static bool add_stubs(gp_candidates *chosen, const gp_image *image, gp_error *error) {
  const asection *plt = bfd_get_section_by_name(image->file, ".plt");
  if (!plt || !(plt->flags & SEC_CODE)) return true;
  gp_candidate c = {.address = bfd_section_vma(plt), .name = "<plt>",
                    .order = (uint32_t)chosen->table_size++, .owner = GP_NONE,
                    .flags = GP_FUNCTION};
  return append(chosen, &c, error);
}

/* --- all sources ------------------------------------------------------------ */

bool gp_candidates_choose(gp_candidates *chosen, gp_image *image,
                          const gp_symtab_options *options, gp_error *error) {
  memset(chosen, 0, sizeof *chosen);
  bool done = options->symbols
      ? choose_from_file(chosen, options->symbols, image, options, error)
      : choose_from_image(chosen, image, options, error);
  if (done && options->map && (options->policy->map_symfiles || !options->symbols))
    done = apply_map(chosen, image, options, error);
  if (done && options->outside) done = add_stubs(chosen, image, error);
  if (!done) gp_candidates_free(chosen);
  return done;
}

void gp_candidates_free(gp_candidates *chosen) {
  free(chosen->rows);
  memset(chosen, 0, sizeof *chosen);
}
