/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demangles names, within limits. */
#include "object/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef enum outcome { FINE, TOO_LARGE, NO_MEMORY } outcome;

/* The units of work that a name may cost, apart from writing; and how many count as one
 * byte of output in the total of all names. A unit takes a few nanoseconds. */
enum { MAX_WORK = 1 << 26, WORK_PER_BYTE = 16 };

/* A name being demangled. */
typedef struct output {
  char *name;               /* the mangled name */
  char *text;               /* the demangled name so far; not terminated */
  size_t length, capacity;
  size_t limit;             /* maximum of `length` */
  uint64_t work;            /* so far, at most MAX_WORK */
  uint64_t work_per_byte;   /* the work between two bytes of output, at most */
  bool has_punycode;        /* in the language Rust */
  outcome outcome;
  jmp_buf stop;             /* where to continue if the outcome is not FINE */
} output;

/* Adds to the work. False if it exceeds the limit. */
static bool charge(output *out, uint64_t work) {
  if (work > MAX_WORK - out->work) out->outcome = TOO_LARGE;
  else out->work += work;
  return out->outcome == FINE;
}

static bool append(output *out, const char *text, size_t length) {
  if (out->outcome != FINE) return false;
  if (length == 0) return true;  /* `text` may be NULL */
  if (!charge(out, length * out->work_per_byte)) return false;
  if (length > out->limit - out->length) {
    out->outcome = TOO_LARGE;
  } else if (!GP_RESERVE(&out->capacity, out->length + length + 1,
                         GP_COLUMN(out->text))) {
    out->outcome = NO_MEMORY;
  } else {
    memcpy(out->text + out->length, text, length);
    out->length += length;
  }
  return out->outcome == FINE;
}

/* --- work that writes nothing --------------------------------------------------- */

/* Estimates of work saturate at this number. */
#define ENDLESS (UINT64_C(1) << 40)

#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static uint64_t times(uint64_t work, uint64_t factor) {
  return work > ENDLESS / factor ? ENDLESS : work * factor;
}

/* Returns the end of a sequence number and the underscore after it ("_", "0_", "1A_");
 * NULL if there is none. Sets `*number` to the number, up to a limit that no name
 * reaches. */
static const char *skip_sequence(const char *p, uint32_t *number) {
  uint32_t value = 0;
  bool first = *p == '_';
  for (; isdigit((unsigned char)*p) || (*p >= 'A' && *p <= 'Z'); p++) {
    uint32_t digit = (uint32_t)(*p <= '9' ? *p - '0' : *p - 'A' + 10);
    if (value < UINT32_MAX / 64) value = value * 36 + digit;
  }
  *number = first ? 0 : value + 1;
  return *p == '_' ? p + 1 : NULL;
}

/* Returns the end of a literal of a builtin type ("Lb1E", "Lin3E"); NULL if there is
 * none. */
static const char *skip_number_literal(const char *p) {
  if (p[0] != 'L' || !islower((unsigned char)p[1])) return NULL;
  p += p[2] == 'n' ? 3 : 2;
  p += strspn(p, DIGITS);
  return *p == 'E' ? p + 1 : NULL;
}

/* Returns the end of an identifier with its length ("3foo"). If the number may have
 * another meaning, as in "A3_", returns the end of the number. */
static const char *skip_identifier(const char *p) {
  char *end;
  unsigned long length = strtoul(p, &end, 10);
  bool number = *end == 'E' || *end == '_';
  return number || memchr(end, '\0', length) ? end : end + length;
}

/* Returns the end of a token of a C++ name. Nothing but an identifier may be skipped as
 * one, so where a number may be something else, its end is returned. Clears `*clear` at
 * the first token after which this cannot be decided. */
static const char *skip_token(const char *p, bool *clear) {
  uint32_t number;
  const char *end = *p == 'S' || *p == 'T' ? skip_sequence(p + 1, &number) : NULL;
  if (!end) end = skip_number_literal(p);
  if (end) return end;
  if (isdigit((unsigned char)*p))
    return *clear ? skip_identifier(p) : p + strspn(p, DIGITS);
  if (*p == '_' || (p[0] == 'D' && p[1] == 'F')) return p + 1 + strspn(p + 1, "F" DIGITS);
  if (*p == 'C' || *p == 'D' || *p == 'v') return p + 1 + !!isdigit((unsigned char)p[1]);
  if (*p == 'L' && !isdigit((unsigned char)p[1]) && p[1] != '_') *clear = false;
  return p + 1;
}

/* In the type of a conversion operator, libiberty parses the arguments of a template
 * parameter ("T_I...E") twice. Nested arguments are parsed twice as often at each
 * level. */
static uint64_t conversion_work(const char *name) {
  uint64_t work = 1;
  bool clear = true, found = false;
  if (!strstr(name, "cv")) return work;
  for (const char *p = name + 2, *end; *p; p = end) {
    end = skip_token(p, &clear);
    found = found || strncmp(p, "cv", 2) == 0;
    if (found && *p == 'T' && end[-1] == '_' && *end == 'I')
      work = times(work, 4);  /* parsing is expensive */
  }
  return work;
}

typedef struct demangle_component component;

/* Sets the children of a component of a C++ name. */
static void children_of(const component *c, component *child[2]) {
  child[0] = child[1] = NULL;
  switch (c->type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE: break;
    case DEMANGLE_COMPONENT_CTOR: child[0] = c->u.s_ctor.name; break;
    case DEMANGLE_COMPONENT_DTOR: child[0] = c->u.s_dtor.name; break;
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
      child[0] = c->u.s_extended_operator.name;
      break;
    case DEMANGLE_COMPONENT_FIXED_TYPE: child[0] = c->u.s_fixed.length; break;
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG: child[0] = c->u.s_unary_num.sub; break;
    default:
      child[0] = c->u.s_binary.left;
      child[1] = c->u.s_binary.right;
  }
}

/* The maximum length in bytes of a mangled C++ name that libiberty demangles. */
enum { MAX_CPLUS = 1 << 10 };

/* The components of a C++ name. They are in one block of memory; a child outside of it
 * belongs to a kind of component that this file does not know. */
typedef struct tree {
  component *first, *end;
  uint64_t *paths;          /* of each: the number of paths that begin at it; 0 if not
                               counted yet */
  uint64_t most;            /* the largest number of paths of a pack expansion */
} tree;

/* Counts the paths from a component on. A substitution is followed at each of its uses.
 * The depth of recursion is limited by MAX_CPLUS. */
static uint64_t count_paths(tree *t, const component *c) {
  component *child[2];
  if (!c || c < t->first || c >= t->end) return 1;
  uint64_t *paths = &t->paths[c - t->first];
  if (*paths > 0) return *paths;
  *paths = ENDLESS;  /* in case that it is a part of itself */
  children_of(c, child);
  uint64_t sum = 1 + count_paths(t, child[0]) + count_paths(t, child[1]);
  if (c->type == DEMANGLE_COMPONENT_PACK_EXPANSION && sum > t->most) t->most = sum;
  return *paths = sum < ENDLESS ? sum : ENDLESS;
}

/* To expand a parameter pack, libiberty searches the expanded pattern for packs, and
 * follows each substitution ("S1_") at each of its uses. These two functions estimate the
 * cost of a search. */

/* Counts the paths in all patterns from the text: at most the product of (uses + 1) over
 * all substitutions. Returns 0 if there is no memory. */
static uint64_t count_uses(const char *name) {
  size_t length = strlen(name);
  uint64_t work = 1;
  uint32_t *uses = gp_column(length, sizeof *uses);
  if (!uses) return 0;
  for (const char *p = name; (p = strchr(p, 'S')) != NULL; p++) {
    uint32_t number;
    if (skip_sequence(p + 1, &number) && number < length) uses[number]++;
  }
  for (size_t i = 0; i < length; i++) work = times(work, uses[i] + 1);
  free(uses);
  return work;
}

/* Counts the paths in the largest pattern, from the components of the name. Returns 0 if
 * libiberty does not return them: it parses some names in two ways, but returns the
 * components of one way only. */
static bool pattern_paths(const char *name, uint64_t *most) {
  void *block = NULL;
  size_t length = strlen(name);
  tree t = {.paths = gp_column(2 * length, sizeof *t.paths)};
  component *root = cplus_demangle_v3_components(name, DMGL_PARAMS, &block);
  t.first = block;
  t.end = block ? t.first + 2 * length : NULL;
  if (t.paths && root) count_paths(&t, root);
  *most = root ? t.most : 0;
  free(block);
  free(t.paths);
  return t.paths != NULL;
}

static bool has_packs(const char *name) {
  bool clear = true;
  if (!strstr(name, "Dp") && !strstr(name, "sp")) return false;
  for (const char *p = name; *p; p = skip_token(p, &clear))
    if (strncmp(p, "Dp", 2) == 0 || strncmp(p, "sp", 2) == 0) return true;
  return false;
}

/* Adds the cost of expanding packs. A pattern is searched for a part of the name that is
 * then written, so the number of searches is limited, too. False if the name is too large
 * or there is no memory. */
static bool charge_packs(output *out) {
  const char *name = strstr(out->name, "_Z");
  if (!name || strlen(name) > MAX_CPLUS || !has_packs(name)) return true;
  uint64_t most, uses = 0;
  bool done = pattern_paths(name, &most) && (most > 0 || (uses = count_uses(name)) > 0);
  if (!done) out->outcome = NO_MEMORY;
  out->work_per_byte = most;
  return done && charge(out, most + uses);
}

/* Whether a Rust name may have identifiers in Punycode ("u3foo"). */
static bool may_have_punycode(const char *name) {
  if (strncmp(name, "_R", 2) != 0) return false;
  while ((name = strchr(name, 'u')) != NULL)
    if (isdigit((unsigned char)*++name)) return true;
  return false;
}

/* A function type in a Rust name gives the number of its lifetimes in base 62 ("FGa_", or
 * "DGa_" for traits). libiberty writes all of them without reading on, so a name with
 * Punycode could not stop it. Returns whether each type has at most 63 lifetimes. */
static bool has_few_lifetimes(const char *name) {
  for (const char *p = name; (p = strchr(p, 'G')) != NULL; p++) {
    size_t digits = 1;
    while (isalnum((unsigned char)p[digits])) digits++;
    bool bound = p > name && (p[-1] == 'F' || p[-1] == 'D');
    if (bound && digits > 2 && p[digits] == '_') return false;
  }
  return true;
}

/* A back-reference in a D name is "Q" and a distance in base 26, with the last digit in
 * lower case. Returns the position to which the back-reference at `at` refers, or `at`
 * itself if there is none. */
static size_t referenced_by(const char *name, size_t at) {
  size_t distance = 0, p = at + 1;
  if (name[at] != 'Q') return at;
  for (; name[p] >= 'A' && name[p] <= 'Z' && distance <= at; p++)
    distance = distance * 26 + (size_t)(name[p] - 'A');
  if (name[p] < 'a' || name[p] > 'z') return at;
  distance = distance * 26 + (size_t)(name[p] - 'a');
  return distance > at ? at : at - distance;
}

/* The maximum length in bytes of a mangled name of the language D. The demangler's depth
 * of recursion grows with the length. */
enum { MAX_DLANG = 1 << 13 };

/* Skips a back-reference or an identifier with its length in a D name. Returns `p` if
 * there is none, or if the name is too short. */
static const char *skip_dlang_part(const char *p) {
  char *end;
  if (*p == 'Q') {
    const char *last = p + 1 + strspn(p + 1, UPPER);
    return islower((unsigned char)*last) ? last + 1 : p;
  }
  if (!isdigit((unsigned char)*p)) return p;
  unsigned long length = strtoul(p, &end, 10);
  return memchr(end, '\0', length) ? p : end + length;
}

/* Returns the end of a type in a D name, or of the name if the type may be larger than
 * what this function parses: basic types, arrays and pointers of them, back-references,
 * and names without template arguments and functions. */
static const char *skip_dlang_type(const char *p) {
  const char *all = p + strlen(p), *end = p, *part;
  p += strspn(p, "xyOAP");
  if (islower((unsigned char)*p) && *p != 'z') return p + 1;
  if (*p == 'Q') return (end = skip_dlang_part(p)) > p ? end : all;
  if (!*p || !strchr("SCEI", *p)) return all;
  for (p++; (part = skip_dlang_part(p)) > p; p = part) end = part;
  return end == p && !strchr("FUWVRYM_", *p) ? end : all;
}

/* Estimates the size of a demangled D name. libiberty's demangler for the language D
 * takes no callback that could stop it, so the size is estimated beforehand. A
 * back-reference repeats an identifier, whose length is known, or a type, which ends
 * before the reference. */
static uint64_t dlang_size(const char *name) {
  uint64_t before[MAX_DLANG + 1];  /* the size of everything before each position */
  size_t length = strlen(name);
  if (length > MAX_DLANG) return ENDLESS;
  before[0] = 0;
  for (size_t i = 0; i < length; i++) {
    size_t from = referenced_by(name, i);
    bool type = from < i && !isdigit((unsigned char)name[from]);
    const char *part = name + from;
    size_t end = (size_t)((type ? skip_dlang_type : skip_dlang_part)(part) - name);
    if (end > i) end = i;
    uint64_t size = type ? before[end] - before[from] : from < i ? end - from : 0;
    before[i + 1] = before[i] + size + 1;
    if (before[i + 1] > ENDLESS) return ENDLESS;
  }
  return before[length];
}

/* --- libiberty ------------------------------------------------------------------- */

/* Appends text. On failure, jumps out of libiberty's demangler for C++, which has no
 * other way to stop. The jump leaks nothing: the demangler has all its data on the stack,
 * and calls no function that allocates memory. */
static void append_or_jump(const char *text, size_t length, void *opaque) {
  output *out = opaque;
  if (!append(out, text, length)) longjmp(out->stop, 1);
}

/* The same for Rust. The demangler allocates memory for identifiers in Punycode, which a
 * jump would leak. In names that have some, overwrites the name with unknown characters:
 * the demangler reads the name while it writes, so it then fails. */
static void append_or_spoil(const char *text, size_t length, void *opaque) {
  output *out = opaque;
  if (append(out, text, length)) return;
  if (!out->has_punycode) longjmp(out->stop, 1);
  memset(out->name, '!', strlen(out->name));
}

static bool demangle_cplus(output *out, int options) {
  if (setjmp(out->stop)) return false;
  return cplus_demangle_v3_callback(out->name, options, append_or_jump, out) != 0;
}

static bool demangle_java(output *out) {
  if (setjmp(out->stop)) return false;
  return java_demangle_v3_callback(out->name, append_or_jump, out) != 0;
}

static bool try_cplus(output *out, int options) {
  if (strncmp(out->name, "_Z", 2) != 0 && strncmp(out->name, "_GLOBAL_", 8) != 0)
    return false;
  if (!charge_packs(out) || !charge(out, conversion_work(out->name))) return false;
  return options & DMGL_JAVA ? demangle_java(out) : demangle_cplus(out, options);
}

static bool demangle_rust(output *out, int options) {
  if (setjmp(out->stop)) return false;
  return rust_demangle_callback(out->name, options, append_or_spoil, out) != 0;
}

/* Old names of Rust look like those of C++, but end in a hash: "17h", and 16 digits. */
static bool try_rust(output *out, int options) {
  if (strncmp(out->name, "_Z", 2) == 0 && !strstr(out->name, "17h")) return false;
  out->has_punycode = may_have_punycode(out->name);
  if (out->has_punycode && !has_few_lifetimes(out->name)) out->outcome = TOO_LARGE;
  return out->outcome == FINE && demangle_rust(out, options);
}

/* Demangles in a style that has no callback. D names that would be too large are not
 * demangled; Ada names grow by a constant factor. */
static bool try_others(output *out, int options) {
  bool dlang = current_demangling_style == dlang_demangling &&
               strncmp(out->name, "_D", 2) == 0;
  if (dlang && dlang_size(out->name) > out->limit - out->length) out->outcome = TOO_LARGE;
  if (out->outcome != FINE) return false;
  char *demangled = cplus_demangle(out->name, options);
  if (demangled) append(out, demangled, strlen(demangled));
  free(demangled);
  return demangled && out->outcome == FINE;
}

/* Demangles in the current style, as cplus_demangle() does. */
static bool demangle(output *out, int options) {
  size_t before = out->length;
  switch (current_demangling_style) {
    case auto_demangling:
      if (try_rust(out, options)) return true;
      out->length = before;
      return out->outcome == FINE && try_cplus(out, options);
    case rust_demangling: return try_rust(out, options);
    case gnu_v3_demangling: return try_cplus(out, options);
    case java_demangling: return try_cplus(out, DMGL_JAVA);
    default: return try_others(out, options);
  }
}

/* --- names of symbols ------------------------------------------------------------ */

/* Longer names are not demangled; libiberty's own limit for C++ is 1 KiB. */
enum { MAX_MANGLED = 1 << 16 };

/* Returns the maximum size of the next demangled name, if all names so far have `mangled`
 * bytes. */
static uint32_t limit_of(const gp_demangler *demangler, uint64_t mangled) {
  uint64_t total = GP_DEMANGLED_TOTAL + GP_DEMANGLED_RATIO * mangled;
  uint64_t left = total > demangler->written ? total - demangler->written : 0;
  return left < GP_DEMANGLED_NAME ? (uint32_t)left : GP_DEMANGLED_NAME;
}

static bool finish(output *out, bool done, uint32_t limit, gp_demangling *made) {
  made->refused = out->outcome == TOO_LARGE;
  made->written = made->refused
                      ? limit : (uint32_t)(out->length + out->work / WORK_PER_BYTE);
  done = done && out->text;
  if (done) out->text[out->length] = '\0';
  if (done) made->text = out->text;
  else free(out->text);
  free(out->name);
  return out->outcome != NO_MEMORY;
}

/* Demangles a name to at most `limit` bytes. */
static bool demangle_within(const char *name, bool parameters, uint32_t limit,
                            gp_demangling *made) {
  int options = parameters ? DMGL_ANSI | DMGL_PARAMS : DMGL_ANSI;
  size_t prefix = strspn(name, ".$"), middle = strcspn(name + prefix, "@");
  const char *suffix = name + prefix + middle;
  output out = {.limit = limit, .name = strndup(name + prefix, middle)};
  if (!out.name) return false;
  if (prefix > 0) append(&out, name, prefix);
  bool done = demangle(&out, options) && append(&out, suffix, strlen(suffix));
  return finish(&out, done, limit, made);
}

static void count(gp_demangler *demangler, uint64_t mangled, const gp_demangling *made) {
  demangler->mangled = mangled;
  demangler->written += made->written;
  demangler->refused |= made->refused;
}

bool gp_demangle(gp_demangler *demangler, const char *name, bool parameters,
                 char **demangled) {
  gp_demangling made = {.text = NULL};
  size_t length = strnlen(name, MAX_MANGLED);
  *demangled = NULL;
  if (length == MAX_MANGLED) return true;
  uint64_t mangled = demangler->mangled + length;
  if (!demangle_within(name, parameters, limit_of(demangler, mangled), &made))
    return false;
  count(demangler, mangled, &made);
  *demangled = made.text;
  return true;
}

bool gp_demangle_ahead(const char *name, bool parameters, gp_demangling *made) {
  *made = (gp_demangling){.text = NULL};
  return strnlen(name, MAX_MANGLED) == MAX_MANGLED ||
         demangle_within(name, parameters, GP_DEMANGLED_NAME, made);
}

bool gp_demangle_count(gp_demangler *demangler, const char *name,
                       const gp_demangling *made) {
  size_t length = strnlen(name, MAX_MANGLED);
  uint64_t mangled = demangler->mangled + length;
  if (length == MAX_MANGLED) return true;
  if (limit_of(demangler, mangled) != GP_DEMANGLED_NAME) return false;
  count(demangler, mangled, made);
  return true;
}
