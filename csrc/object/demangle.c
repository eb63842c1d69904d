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

/* A name being demangled. */
typedef struct output {
  char *name;               /* the mangled name */
  char *text;               /* the demangled name so far; not terminated */
  size_t length, capacity;
  size_t limit;             /* maximum of `length` */
  outcome outcome;
  jmp_buf stop;             /* where to continue if the outcome is not FINE */
} output;

static bool append(output *out, const char *text, size_t length) {
  if (out->outcome != FINE) return false;
  if (length == 0) return true;  /* `text` may be NULL */
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

/* To expand a parameter pack, libiberty searches the expanded pattern for packs, and
 * follows each substitution ("S1_") at each of its uses. The number of paths is at most
 * the product of (uses + 1) over all substitutions. The largest product in GNU and LLVM
 * libraries is 2^20. */
static bool estimate_packs(const char *name, uint64_t *work) {
  size_t length = strlen(name);
  if (!strstr(name, "Dp") && !strstr(name, "sp")) return true;
  uint32_t *uses = gp_column(length, sizeof *uses);
  if (!uses) return false;
  for (const char *p = name; (p = strchr(p, 'S')) != NULL; p++) {
    uint32_t number;
    if (skip_sequence(p + 1, &number) && number < length) uses[number]++;
  }
  for (size_t i = 0; i < length; i++) *work = times(*work, uses[i] + 1);
  free(uses);
  return true;
}

/* In the type of a conversion operator, libiberty parses the arguments of a template
 * parameter ("T_I...E") twice. Nested arguments are parsed twice as often at each
 * level. */
static void estimate_conversions(const char *name, uint64_t *work) {
  const char *conversion = strstr(name, "cv");
  for (const char *p = conversion; p && (p = strchr(p, 'T')) != NULL; p++) {
    uint32_t number;
    const char *after = skip_sequence(p + 1, &number);
    if (after && *after == 'I') *work = times(*work, 4);  /* parsing is expensive */
  }
}

/* A function type in a Rust name gives the number of its lifetimes in base 62 ("FGa_", or
 * "DGa_" for traits), and libiberty writes all lifetimes. Returns whether each type has
 * at most 63 lifetimes. */
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

/* Estimates the size of a demangled D name. libiberty's demangler for the language D
 * takes no callback that could stop it, so the size is estimated beforehand. A
 * back-reference repeats text that ends before the reference. */
static uint64_t dlang_work(const char *name) {
  uint64_t before[MAX_DLANG + 1];  /* the size of everything before each position */
  size_t length = strlen(name);
  if (length > MAX_DLANG) return ENDLESS;
  before[0] = 0;
  for (size_t i = 0; i < length; i++) {
    size_t from = referenced_by(name, i);
    bool type = from < i && !isdigit((unsigned char)name[from]);
    uint64_t size = type ? before[i] - before[from] : i - from;
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

/* Appends text. On failure, overwrites the name with unknown characters. libiberty's
 * demangler for Rust reads the name while it writes, so it then fails too. A jump would
 * leak memory that the demangler may have allocated. */
static void append_or_spoil(const char *text, size_t length, void *opaque) {
  output *out = opaque;
  if (!append(out, text, length)) memset(out->name, '!', strlen(out->name));
}

static bool demangle_cplus(output *out, int options) {
  if (setjmp(out->stop)) return false;
  return cplus_demangle_v3_callback(out->name, options, append_or_jump, out) != 0;
}

static bool demangle_java(output *out) {
  if (setjmp(out->stop)) return false;
  return java_demangle_v3_callback(out->name, append_or_jump, out) != 0;
}

/* This much estimated work counts as one byte of output. */
enum { WORK_PER_BYTE = 16 };

/* Subtracts estimated work from the limit. False if the work exceeds the limit. */
static bool charge(output *out, uint64_t work) {
  size_t left = out->limit - out->length;
  uint64_t bytes = work / WORK_PER_BYTE;
  if (bytes > left) out->outcome = TOO_LARGE;
  else out->limit -= (size_t)bytes;
  return out->outcome == FINE;
}

static bool try_cplus(output *out, int options) {
  uint64_t work = 1;
  if (out->name[0] != '_') return false;
  if (!estimate_packs(out->name, &work)) out->outcome = NO_MEMORY;
  estimate_conversions(out->name, &work);
  if (out->outcome != FINE || !charge(out, work)) return false;
  return options & DMGL_JAVA ? demangle_java(out) : demangle_cplus(out, options);
}

static bool try_rust(output *out, int options) {
  bool modern = strncmp(out->name, "_R", 2) == 0;
  if (modern && !has_few_lifetimes(out->name)) out->outcome = TOO_LARGE;
  return out->outcome == FINE &&
         rust_demangle_callback(out->name, options, append_or_spoil, out) != 0;
}

/* Demangles in a style that has no callback. D names that would be too large are not
 * demangled; Ada names grow by a constant factor. */
static bool try_others(output *out, int options) {
  bool dlang = current_demangling_style == dlang_demangling &&
               strncmp(out->name, "_D", 2) == 0;
  if (dlang && !charge(out, WORK_PER_BYTE * dlang_work(out->name))) return false;
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
  made->written =
      made->refused ? limit : (uint32_t)(out->length + (limit - out->limit));
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
