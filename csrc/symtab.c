/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function symbols. */
#include "symtab.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "clones.h"

/* A symbol that may get a place in the table. */
typedef struct candidate {
  uint64_t address;
  const char *name;
  uint32_t order;     /* place in the image's symbol table */
  uint32_t owner;     /* for a cold part: the candidate it was split from */
  uint8_t flags;
} candidate;

/* State of one build. */
typedef struct building {
  const gp_image *image;
  const gp_symtab_options *options;
  const char *last_name;  /* the highest name in the string table */
  candidate *found;
  size_t count;
} building;

/* --- choosing -------------------------------------------------------------- */

/* The highest pointer to a name in the image's string table. Section symbols and
 * those made up by libbfd have their names elsewhere, and so have versioned ones
 * ("puts@GLIBC_2.2.5"). */
static const char *highest_name(const gp_image *image) {
  const char *highest = NULL;
  for (size_t i = 0; i < image->symbol_count; i++) {
    const asymbol *symbol = image->symbols[i];
    if (symbol->flags & (BSF_SECTION_SYM | BSF_SYNTHETIC) || !symbol->name) continue;
    if (symbol->name > highest && !strchr(symbol->name, '@')) highest = symbol->name;
  }
  return highest;
}

static bool is_typed(const building *b, const asymbol *symbol) {
  return !b->image->typed ||
         (symbol->flags & (BSF_FUNCTION | BSF_GNU_INDIRECT_FUNCTION)) != 0;
}

/* Whether the name of a local symbol is one that GNU gprof takes. */
static bool gnu_takes_local(const building *b, const asymbol *symbol) {
  const char *name = symbol->name;
  if (b->image->leading && name[0] != b->image->leading) return false;
  if (strncmp(name, "__gnu_compiled", 14) == 0) return false;
  if (strncmp(name, "___gnu_compiled", 15) == 0) return false;
  if (b->options->functions_only && !(symbol->flags & BSF_FUNCTION)) return false;
  const char *limit = symbol->flags & BSF_SYNTHETIC ? NULL : b->last_name;
  return gp_clone_gnu_takes(name, limit);
}

/* Decides on a symbol: false if it is no function; else its flags. */
static bool choose(const building *b, asymbol *symbol, uint8_t *flags) {
  const asection *section = symbol->section;
  if (!section || !symbol->name || symbol->flags & BSF_DEBUGGING) return false;
  int class = bfd_decode_symclass(symbol);
  bool typed = is_typed(b, symbol), local = class == 't';
  *flags = typed ? GP_FUNCTION : 0;
  bool gnu_takes = class == 'T' || class == 'W' || (local && gnu_takes_local(b, symbol));
  if (!gnu_takes) {
    if (b->options->gnu_compat || !b->image->typed || !typed) return false;
    if (!(section->flags & SEC_CODE) || !*symbol->name) return false;
    local = (symbol->flags & BSF_LOCAL) != 0;
  }
  if (local) *flags |= GP_STATIC;
  return true;
}

static bool collect(building *b, gp_error *error) {
  size_t capacity = 0;
  for (size_t i = 0; i < b->image->symbol_count; i++) {
    candidate c = {.order = (uint32_t)i, .owner = GP_NONE};
    asymbol *symbol = b->image->symbols[i];
    if (!choose(b, symbol, &c.flags)) continue;
    c.name = symbol->name;
    c.address = bfd_asymbol_value(symbol);
    if (b->count == capacity) {
      capacity = gp_capacity(capacity, b->count + 1);
      if (!gp_resize(&b->found, capacity, sizeof *b->found)) return gp_fail_memory(error);
    }
    b->found[b->count++] = c;
  }
  return true;
}

/* --- cold parts ------------------------------------------------------------ */

/* Functions by name and by the file they are local to. */
typedef struct names {
  const building *b;
  uint32_t *file;     /* per candidate: order of its file's symbol; 0 if global */
} names;

static uint64_t name_hash(const char *name, size_t length) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);  /* FNV-1a */
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
  return h;
}

static gp_key name_key(const void *columns, uint32_t row) {
  const names *n = columns;
  const char *name = n->b->found[row].name;
  return (gp_key){name_hash(name, strlen(name)), n->file[row]};
}

/* Local symbols follow the symbol of their file. */
static void assign_files(names *n) {
  const gp_image *image = n->b->image;
  uint32_t file = 1, next = 0;
  for (size_t i = 0; i < image->symbol_count && next < n->b->count; i++) {
    if (image->symbols[i]->flags & BSF_FILE) file = (uint32_t)i + 1;
    if (n->b->found[next].order != i) continue;
    n->file[next] = n->b->found[next].flags & GP_STATIC ? file : 0;
    next++;
  }
}

static uint32_t find_owner(const names *n, const gp_index *index, uint32_t cold) {
  const char *name = n->b->found[cold].name;
  size_t length = gp_clone_cold_stem(name);
  gp_key key = {name_hash(name, length), n->file[cold]};
  uint32_t owner = gp_index_find(index, key);
  if (owner == GP_NONE) owner = gp_index_find(index, (gp_key){key.first, 0});
  if (owner == GP_NONE) return GP_NONE;
  const char *stem = n->b->found[owner].name;
  return strncmp(stem, name, length) == 0 && !stem[length] ? owner : GP_NONE;
}

static bool index_functions(const names *n, gp_index *index) {
  for (uint32_t i = 0; i < n->b->count; i++)
    if (!gp_clone_is_cold(n->b->found[i].name) &&
        gp_index_find(index, name_key(n, i)) == GP_NONE && !gp_index_add(index, i))
      return false;
  return true;
}

/* Gives every cold part its function: the one of that name that is local to the
 * same file, or else the global one. What finds none is a function of its own. */
static bool find_owners(building *b, gp_error *error) {
  size_t cold = 0;
  for (size_t i = 0; i < b->count; i++) cold += gp_clone_is_cold(b->found[i].name);
  if (cold == 0) return true;
  names n = {b, gp_column(b->count, sizeof *n.file)};
  gp_index index;
  gp_index_init(&index, name_key, &n);
  bool done = n.file != NULL;
  if (done) {
    assign_files(&n);
    done = index_functions(&n, &index);
  }
  for (uint32_t i = 0; done && i < b->count; i++)
    if (gp_clone_is_cold(b->found[i].name)) b->found[i].owner = find_owner(&n, &index, i);
  gp_index_free(&index);
  free(n.file);
  return done || gp_fail_memory(error);
}

/* --- order, and one symbol per address ------------------------------------- */

/* By address; functions first, then globals, then as in the image. */
static int by_address(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  if ((a->flags ^ b->flags) & GP_FUNCTION) return a->flags & GP_FUNCTION ? -1 : 1;
  if ((a->flags ^ b->flags) & GP_STATIC) return a->flags & GP_STATIC ? 1 : -1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static int underscores(const char *name) {
  return name[0] != '_' ? 0 : name[1] != '_' ? 1 : 2;
}

/* Whether a symbol takes the place of the one kept so far at its address. */
static bool wins(const candidate *newcomer, const candidate *kept) {
  if ((newcomer->owner == GP_NONE) != (kept->owner == GP_NONE))
    return newcomer->owner == GP_NONE;  /* a function before somebody's cold part */
  if ((newcomer->flags ^ kept->flags) & GP_STATIC) return !(newcomer->flags & GP_STATIC);
  if ((newcomer->flags ^ kept->flags) & GP_FUNCTION)
    return (newcomer->flags & GP_FUNCTION) != 0;
  return underscores(newcomer->name) < underscores(kept->name);
}

/* Weeds b->found in place. `place` tells where each symbol of the image went,
 * under what is kept: owners are looked up there. */
static void keep_one_per_address(building *b, uint32_t *place) {
  size_t kept = 0;
  for (size_t i = 0; i < b->count; i++) {
    const candidate c = b->found[i];
    bool alone = kept == 0 || b->found[kept - 1].address != c.address;
    if (alone)
      b->found[kept++] = c;
    else if (wins(&c, &b->found[kept - 1]))
      b->found[kept - 1] = c;
    place[c.order] = (uint32_t)kept - 1;
  }
  b->count = kept;
}

static bool allocate(gp_symtab *symtab, size_t count, bool owned) {
  symtab->count = count;
  symtab->address = gp_column(count, sizeof *symtab->address);
  symtab->name = gp_column(count, sizeof *symtab->name);
  symtab->flags = gp_column(count, sizeof *symtab->flags);
  if (owned) symtab->owner = gp_column(count, sizeof *symtab->owner);
  return symtab->address && symtab->name && symtab->flags && (!owned || symtab->owner);
}

static bool fill(gp_symtab *symtab, const building *b, const uint32_t *place, bool owned,
                 gp_error *error) {
  if (!allocate(symtab, b->count, owned)) return gp_fail_memory(error);
  for (size_t i = 0; i < b->count; i++) {
    const candidate *c = &b->found[i];
    symtab->address[i] = c->address;
    symtab->name[i] = c->name;
    symtab->flags[i] = c->flags;
    if (owned)
      symtab->owner[i] = c->owner == GP_NONE ? (uint32_t)i : place[c->owner];
  }
  return true;
}

/* Whether no_static leaves a symbol out: not so the part of a global function. */
static bool is_unwanted(const building *b, const candidate *c) {
  if (!b->options->no_static || !(c->flags & GP_STATIC)) return false;
  return c->owner == GP_NONE || b->found[c->owner].flags & GP_STATIC;
}

/* Leaves the unwanted out. From here on an owner is named by its place in the
 * image's symbol table, as candidates move. True if any symbol has an owner. */
static bool settle(building *b) {
  bool owned = false;
  size_t kept = 0;
  for (size_t i = 0; i < b->count; i++) {
    candidate *c = &b->found[i];
    if (is_unwanted(b, c))
      c->name = NULL;
    else if (c->owner != GP_NONE)
      owned = true;
  }
  for (size_t i = 0; i < b->count; i++)
    if (b->found[i].owner != GP_NONE)
      b->found[i].owner = b->found[b->found[i].owner].order;
  for (size_t i = 0; i < b->count; i++)
    if (b->found[i].name) b->found[kept++] = b->found[i];
  b->count = kept;
  return owned;
}

static bool arrange(building *b, gp_symtab *symtab, gp_error *error) {
  bool owned = settle(b);
  uint32_t *place = gp_column(b->image->symbol_count, sizeof *place);
  if (!place) return gp_fail_memory(error);
  qsort(b->found, b->count, sizeof *b->found, by_address);
  keep_one_per_address(b, place);
  bool done = fill(symtab, b, place, owned, error);
  free(place);
  return done;
}

bool gp_symtab_build(gp_symtab *symtab, const gp_image *image,
                     const gp_symtab_options *options, gp_error *error) {
  building b = {.image = image, .options = options};
  memset(symtab, 0, sizeof *symtab);
  symtab->text_high = image->text_high;
  if (options->gnu_compat) b.last_name = highest_name(image);
  bool done = collect(&b, error) && (options->gnu_compat || find_owners(&b, error)) &&
              arrange(&b, symtab, error);
  free(b.found);
  if (done && symtab->count == 0)
    done = gp_fail(error, options->no_static ? "has no global functions among its symbols"
                                             : "has no functions among its symbols");
  if (!done) gp_symtab_free(symtab);
  return done;
}

void gp_symtab_free(gp_symtab *symtab) {
  free(symtab->address);
  free(symtab->name);
  free(symtab->flags);
  free(symtab->owner);
  memset(symtab, 0, sizeof *symtab);
}

/* --- lookup ---------------------------------------------------------------- */

uint64_t gp_symtab_end(const gp_symtab *symtab, uint32_t symbol) {
  if (symbol + 1 < symtab->count) return symtab->address[symbol + 1] - 1;
  return symtab->text_high - 1;
}

uint32_t gp_symtab_above(const gp_symtab *symtab, uint64_t address) {
  size_t low = 0, high = symtab->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symtab->address[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)low;
}

uint32_t gp_symtab_find(const gp_symtab *symtab, uint64_t address) {
  uint32_t above = gp_symtab_above(symtab, address);
  if (above == 0 || address > gp_symtab_end(symtab, above - 1)) return GP_NONE;
  return gp_symtab_owner(symtab, above - 1);
}
