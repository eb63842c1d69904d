/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an image imports from shared libraries. */
#include "object/imports.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/section.h"

/* The maximum size in bytes of a list of libraries. A small file can name the same long
 * string many times. */
#define MAX_LIST ((size_t)1 << 20)

/* Names of the function that instrumented code calls at function entries. __fentry__ is
 * for -mfentry on x86, __gnu_mcount_nc for 32-bit ARM. */
static const char *const mcount_names[] = {"mcount",  "_mcount",    "__mcount",
                                           ".mcount", "__fentry__", "__gnu_mcount_nc"};

typedef struct wanted {
  const char *const *names;
  size_t count;
  bool undefined_only;   /* only imported symbols */
} wanted;

/* libbfd appends a version to names of dynamic symbols: "mcount@GLIBC_2.2.5". */
static bool is_wanted(const gp_image *image, const wanted *w, const char *name) {
  name = gp_image_plain_name(image, name);
  size_t length = strcspn(name, "@");
  for (size_t i = 0; i < w->count; i++)
    if (strlen(w->names[i]) == length && memcmp(name, w->names[i], length) == 0)
      return true;
  return false;
}

static bool has_symbol(const gp_image *image, const wanted *w, asymbol *const *symbols,
                       size_t count) {
  for (size_t i = 0; i < count; i++)
    if ((!w->undefined_only || bfd_is_und_section(symbols[i]->section)) &&
        is_wanted(image, w, bfd_asymbol_name(symbols[i])))
      return true;
  return false;
}

static bool has_dynamic_symbol(const gp_image *image, const wanted *w) {
  long room = bfd_get_dynamic_symtab_upper_bound(image->file);
  if (room <= 0) return false;
  asymbol **symbols = malloc((size_t)room);
  if (!symbols) return true;
  long count = bfd_canonicalize_dynamic_symtab(image->file, symbols);
  bool found = count > 0 && has_symbol(image, w, symbols, (size_t)count);
  free(symbols);
  return found;
}

static bool has_any(const gp_image *image, const wanted *w) {
  const gp_image *from = gp_image_for_symbols(image, false);
  return has_dynamic_symbol(image, w) ||
         has_symbol(image, w, from->symbols, from->symbol_count);
}

bool gp_imports_mcount(const gp_image *image) {
  wanted w = {mcount_names, sizeof mcount_names / sizeof *mcount_names, true};
  return has_any(image, &w);
}

bool gp_image_mentions_any(const gp_image *image, const char *const *names,
                           size_t count) {
  wanted w = {names, count, false};
  return has_any(image, &w);
}

/* --- shared libraries ----------------------------------------------------------- */

/* Names, each ended by a NUL. */
typedef struct name_list {
  char *text;
  size_t size, capacity, count;
} name_list;

/* Appends a name. False if the list would be too long, or if there is no memory. */
static bool append(name_list *list, const char *name) {
  size_t size = strlen(name) + 1;
  if (size > MAX_LIST - list->size ||
      !GP_RESERVE(&list->capacity, list->size + size, GP_COLUMN(list->text)))
    return false;
  memcpy(list->text + list->size, name, size);
  list->size += size;
  list->count++;
  return true;
}

bool gp_is_shared_library(const gp_image *image) {
  gp_section dynamic;
  const size_t size = 2 * (size_t)image->layout.pointer_size;
  unsigned char entry[2 * sizeof(uint64_t)];
  bool any = false, program = false;
  gp_section_open(&dynamic, image, ".dynamic");
  for (uint64_t at = 0; gp_section_read(&dynamic, at, entry, size); at += size) {
    uint64_t tag = gp_pointer(entry, image->layout);
    if (tag == DT_NULL) break;
    any = true;
    program = program || tag == DT_DEBUG;
  }
  gp_section_free(&dynamic);
  return any && !program;
}

char *gp_needed_libraries(const gp_image *image, size_t *count) {
  gp_section dynamic, strings;
  const size_t width = image->layout.pointer_size, size = 2 * width;
  name_list list = {NULL, 0, 0, 0};
  uint64_t budget = MAX_LIST;
  gp_section_open(&dynamic, image, ".dynamic");
  gp_section_open(&strings, image, ".dynstr");
  unsigned char entry[2 * sizeof(uint64_t)];
  for (uint64_t at = 0; gp_section_read(&dynamic, at, entry, size); at += size) {
    uint64_t tag = gp_pointer(entry, image->layout);
    if (tag == DT_NULL) break;
    if (tag != DT_NEEDED) continue;
    uint64_t place = gp_pointer(entry + width, image->layout);
    char *name = gp_section_text(&strings, place, &budget);
    bool more = name && append(&list, name);
    free(name);
    if (!more) break;
  }
  gp_section_free(&dynamic);
  gp_section_free(&strings);
  *count = list.count;
  return list.text;
}
