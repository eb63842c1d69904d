/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up functions by name. */
#include "symbols/name_index.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const char *plain_name(const gp_name_index *index, uint32_t symbol) {
  return gp_image_plain_name(index->image, index->symtab->name[symbol]);
}

static gp_key name_key(const void *columns, uint32_t row) {
  return gp_text_key(plain_name(columns, row));
}

/* Appends functions to the chains in address order. last[s] is the end of the chain that
 * begins with symbol s. */
static bool enter_all(gp_name_index *index, uint32_t *last) {
  const gp_symtab *symtab = index->symtab;
  for (uint32_t s = 0; s < symtab->count; s++) {
    index->next[s] = GP_NONE;
    if (gp_symtab_owner(symtab, s) != s) continue;
    uint32_t first = gp_hash_find(&index->by_name, name_key(index, s));
    if (first == GP_NONE) {
      if (!gp_hash_add(&index->by_name, s)) return false;
      last[s] = s;
    } else {
      index->next[last[first]] = s;
      last[first] = s;
    }
  }
  return true;
}

bool gp_name_index_build(gp_name_index *index, const gp_symtab *symtab,
                         const gp_image *image) {
  *index = (gp_name_index){.symtab = symtab, .image = image};
  gp_hash_init(&index->by_name, name_key, index);
  index->next = gp_column(symtab->count, sizeof *index->next);
  uint32_t *last = gp_column(symtab->count, sizeof *last);
  bool done = index->next && last && enter_all(index, last);
  free(last);
  if (!done) gp_name_index_free(index);
  return done;
}

void gp_name_index_free(gp_name_index *index) {
  gp_hash_free(&index->by_name);
  free(index->next);
  index->next = NULL;
}

/* --- names of the symbol table ---------------------------------------------- */

uint32_t *gp_name_index_find(const gp_name_index *index, const char *name,
                             size_t *count) {
  uint32_t first = gp_hash_find(&index->by_name, gp_text_key(name));
  size_t length = 0;
  for (uint32_t s = first; s != GP_NONE; s = index->next[s]) length++;
  uint32_t *found = gp_column(length, sizeof *found);
  *count = 0;
  for (uint32_t s = first; found && s != GP_NONE; s = index->next[s])
    if (strcmp(plain_name(index, s), name) == 0) found[(*count)++] = s;
  return found;
}

/* --- demangled names --------------------------------------------------------- */

/* Words of demangled names that mangled names abbreviate or omit. */
static const char *const implied[] = {
    "std", "allocator", "basic_string", "string", "char_traits", "basic_istream",
    "istream", "basic_ostream", "ostream", "basic_iostream", "iostream", "operator",
    "unsigned", "signed", "short", "long", "float", "double", "const", "volatile",
    "restrict", "decltype", "typename", "nullptr", "namespace", "anonymous", "lambda",
    "delete", "sizeof", "alignof", "noexcept", "vtable", "typeinfo", "virtual", "thunk",
    "non-virtual", "guard", "variable", "construction", "transaction", "initializer",
    "reference", "temporary", "wchar_t", "char8_t", "char16_t", "char32_t", "__int128",
    "__float128", "decimal32", "decimal64", "decimal128", "auto", "char", "bool", "void",
    "clone", "true", "false", "unnamed", "type", "throw", "requires", "co_await"};

/* Returns the longest identifier of a demangled name that its mangled name must contain.
 * Sets `*length` to the identifier's length; 0 if there is none. */
static const char *longest_identifier(const char *name, size_t *length) {
  const char *best = name;
  *length = 0;
  for (const char *end; *name; name = end) {
    for (end = name; isalnum((unsigned char)*end) || *end == '_'; end++) continue;
    size_t here = (size_t)(end - name);
    bool is_longest = here > *length && here > 3 && !isdigit((unsigned char)*name);
    for (size_t i = 0; is_longest && i < sizeof implied / sizeof *implied; i++)
      is_longest = strlen(implied[i]) != here || memcmp(implied[i], name, here) != 0;
    if (is_longest) {
      best = name;
      *length = here;
    }
    if (here == 0) end++;
  }
  return best;
}

/* Sets `*same` to whether a symbol's name demangles to `name`, with or without
 * parameters. False if there is no memory. */
static bool demangles_to(const gp_name_index *index, uint32_t symbol, const char *name,
                         bool parameters, bool *same) {
  const char *mangled = index->symtab->name[symbol];
  char *demangled;
  if (!gp_image_demangle(index->image, mangled, parameters, &demangled)) return false;
  *same = demangled && strcmp(demangled, name) == 0;
  free(demangled);
  return true;
}

/* Whether a symbol's demangled name may contain a word. The mangled names of C++ and old
 * Rust ("_Z") and of Ada (no underscore) spell identifiers out, so they must contain the
 * word. Nothing is known about other names. */
static bool may_contain(const gp_name_index *index, uint32_t symbol, const char *word,
                        size_t length) {
  const char *name = plain_name(index, symbol);
  name += strspn(name, ".$");
  if (name[0] == '_' && (name[1] != 'Z' || length == 0)) return true;
  return length > 0 && memmem(name, strlen(name), word, length);
}

/* A search among demangled names. */
typedef struct search {
  const gp_name_index *index;
  const char *name, *word;  /* the name must contain the word, unless it is empty */
  size_t length;            /* length of the word */
  uint32_t *found;
  size_t count;
} search;

static bool demangled_matches(search *s, bool parameters, bool filtered) {
  const gp_symtab *symtab = s->index->symtab;
  for (uint32_t symbol = 0; symbol < symtab->count; symbol++) {
    bool same;
    if (gp_symtab_owner(symtab, symbol) != symbol) continue;
    if (filtered && !may_contain(s->index, symbol, s->word, s->length)) continue;
    if (!demangles_to(s->index, symbol, s->name, parameters, &same)) return false;
    if (same) s->found[s->count++] = symbol;
  }
  return true;
}

/* Compares names as reports print them, then names without parameters. False if there is
 * no memory. */
static bool find_matches(search *s, bool filtered) {
  return demangled_matches(s, true, filtered) &&
         (s->count > 0 || demangled_matches(s, false, filtered));
}

uint32_t *gp_name_index_demangled(const gp_name_index *index, const char *name,
                                  size_t *count) {
  search s = {.index = index, .name = name};
  s.word = longest_identifier(name, &s.length);
  s.found = gp_column(index->symtab->count, sizeof *s.found);
  /* The longest identifier may be a word that mangled names abbreviate. */
  bool unusual = strpbrk(name, "(<: ") != NULL;
  bool done = s.found && find_matches(&s, true) &&
              (s.count > 0 || !unusual || find_matches(&s, false));
  *count = s.count;
  if (done) return s.found;
  free(s.found);
  return NULL;
}

/* --- patterns ------------------------------------------------------------------ */

/* Memory for shortened names. */
typedef struct scratch {
  char *text;
  size_t room;
} scratch;

static bool matches_name(const gp_name_pattern *pattern, const char *name, scratch *s,
                         bool *matches) {
  if (!GP_RESERVE(&s->room, strlen(name) + 1, GP_COLUMN(s->text))) return false;
  *matches = gp_name_pattern_matches(pattern, name, s->text);
  return true;
}

/* Whether a pattern is a glob for mangled names, such as "_ZN3xml*". Others are compared
 * with demangled names alone: a mangled name contains the words of the function's
 * parameters. */
static bool is_for_mangled(const gp_name_pattern *pattern) {
  const char *text = pattern->text;
  return pattern->kind == GP_GLOB && text[0] == '_' && text[1] >= 'A' && text[1] <= 'Z';
}

static bool matches_symbol(const gp_name_index *index, const gp_name_pattern *pattern,
                           uint32_t symbol, scratch *s, bool *matches) {
  char *demangled;
  if (!gp_image_demangle(index->image, index->symtab->name[symbol], true, &demangled))
    return false;
  bool done = !demangled || matches_name(pattern, demangled, s, matches);
  if (done && (!demangled || (!*matches && is_for_mangled(pattern))))
    done = matches_name(pattern, plain_name(index, symbol), s, matches);
  free(demangled);
  return done;
}

uint32_t *gp_name_index_matching(const gp_name_index *index,
                                 const gp_name_pattern *pattern, size_t *count) {
  const gp_symtab *symtab = index->symtab;
  uint32_t *found = gp_column(symtab->count, sizeof *found);
  bool done = found != NULL, matches = false;
  scratch s = {NULL, 0};
  *count = 0;
  for (uint32_t symbol = 0; done && symbol < symtab->count; symbol++) {
    if (gp_symtab_owner(symtab, symbol) != symbol) continue;
    done = matches_symbol(index, pattern, symbol, &s, &matches);
    if (done && matches) found[(*count)++] = symbol;
  }
  free(s.text);
  if (done) return found;
  free(found);
  return NULL;
}
