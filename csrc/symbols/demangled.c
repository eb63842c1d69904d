/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demangled names. */
#include "symbols/demangled.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"

/* Copies a string into the store. NULL if there is no memory. */
static const char *store(gp_text_store *texts, const char *text) {
  size_t size = strlen(text) + 1;
  char *place = gp_text_store_room(texts, size);
  return place ? memcpy(place, text, size) : NULL;
}

/* --- names demangled ahead ------------------------------------------------------- */

/* The values in the column `ahead`: the bits of gp_demangling. */
enum { AHEAD = 1, REFUSED = 2, WRITTEN_SHIFT = 2 };

/* A list of symbols, divided among threads. */
typedef struct division {
  gp_demangled *names;
  const gp_image *image;
  const gp_symtab *symtab;
  const uint32_t *symbols;
  size_t count, parts;
  gp_text_store stored[GP_MAX_PARTS];  /* the strings of each part */
} division;

static void demangle_one(const division *d, gp_text_store *stored, uint32_t symbol) {
  const char *name = gp_image_plain_name(d->image, d->symtab->name[symbol]);
  gp_demangling made;
  if (!gp_demangle_ahead(name, true, &made)) return;
  const char *text = made.text ? store(stored, made.text) : name;
  free(made.text);
  if (!text) return;
  d->names->name[symbol] = text;
  d->names->ahead[symbol] =
      made.written << WRITTEN_SHIFT | (made.refused ? REFUSED : 0) | AHEAD;
}

static void demangle_part(void *work, size_t part) {
  division *d = work;
  size_t first = d->count * part / d->parts, last = d->count * (part + 1) / d->parts;
  gp_text_store stored = {.newest = NULL};  /* on the thread's own stack */
  for (size_t i = first; i < last; i++)
    if (!d->names->name[d->symbols[i]]) demangle_one(d, &stored, d->symbols[i]);
  d->stored[part] = stored;
}

static bool reserve_columns(gp_demangled *names, const gp_symtab *symtab, bool ahead) {
  if (!names->name) names->name = gp_column(symtab->count, sizeof *names->name);
  if (ahead && !names->ahead)
    names->ahead = gp_column(symtab->count, sizeof *names->ahead);
  return names->name && (!ahead || names->ahead);
}

void gp_demangled_ahead(gp_demangled *names, const gp_image *image,
                        const gp_symtab *symtab, const uint32_t *symbols, size_t count,
                        size_t threads) {
  if (threads > GP_MAX_PARTS) threads = GP_MAX_PARTS;
  division d = {.names = names, .image = image, .symtab = symtab, .symbols = symbols,
                .count = count, .parts = threads};
  if (!reserve_columns(names, symtab, true)) return;
  gp_parallel(threads, demangle_part, &d);
  for (size_t i = 0; i < threads; i++) gp_text_store_take(&names->text, &d.stored[i]);
}

/* Counts a name that was demangled ahead. Returns whether it may be used. */
static bool count_ahead(gp_demangled *names, const gp_image *image,
                        const gp_symtab *symtab, uint32_t symbol) {
  uint32_t bits = names->ahead[symbol];
  gp_demangling made = {.written = bits >> WRITTEN_SHIFT, .refused = bits & REFUSED};
  names->ahead[symbol] = 0;
  return bits == 0 ||
         gp_demangle_count(image->demangler,
                           gp_image_plain_name(image, symtab->name[symbol]), &made);
}

/* --- names on demand ------------------------------------------------------------- */

const char *gp_demangled_name(gp_demangled *names, const gp_image *image,
                              const gp_symtab *symtab, uint32_t symbol) {
  if (!reserve_columns(names, symtab, false)) return NULL;
  const char **place = &names->name[symbol];
  bool usable = !names->ahead || count_ahead(names, image, symtab, symbol);
  /* cppcheck-suppress identicalInnerCondition ; tests the pointer, returns the name */
  if (*place && usable) return *place;
  char *demangled;
  if (!gp_image_demangle(image, symtab->name[symbol], true, &demangled))
    return NULL;
  *place = demangled ? store(&names->text, demangled)
                     : gp_image_plain_name(image, symtab->name[symbol]);
  free(demangled);
  return *place;
}

void gp_demangled_free(gp_demangled *names) {
  gp_text_store_free(&names->text);
  free(names->name);
  free(names->ahead);
  *names = (gp_demangled){.name = NULL};
}
