/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortening of C++ names. */
#include "symbols/short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8_width.h"

/* --- parts of names -------------------------------------------------------------- */

static bool in_identifier(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool begins_with(const char *p, const char *end, const char *text) {
  size_t length = strlen(text);
  return (size_t)(end - p) >= length && memcmp(p, text, length) == 0;
}

/* Returns the length of "operator" and the symbol after it, which may be a bracket; 0 if
 * there is no such word at `p`. */
static size_t operator_at(const char *begin, const char *p, const char *end) {
  static const char *const symbols[] = {"()",  "[]",  "->*", "->", "<=>", "<<=", ">>=",
                                        "<<",  ">>",  "<=",  ">=", "<",   ">"};
  const size_t word = strlen("operator");
  if (!begins_with(p, end, "operator") || (p > begin && in_identifier(p[-1]))) return 0;
  const char *after = p + word;
  if (after < end && in_identifier(*after)) return 0;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (begins_with(after, end, symbols[i])) return word + strlen(symbols[i]);
  return word;
}

/* Returns one past the bracket that closes the one at `p`; NULL if there is none. Only
 * brackets of the same kind count. */
static const char *after_same(const char *p, const char *end, char open, char close) {
  size_t depth = 0;
  for (; p < end; p++) {
    depth += *p == open;
    depth -= *p == close;
    if (depth == 0) return p + 1;
  }
  return NULL;
}

/* Like after_same, for angle brackets. Angle brackets within other brackets and in
 * operators do not count. */
static const char *after_angle(const char *begin, const char *p, const char *end) {
  size_t depth = 0;
  while (p && p < end) {
    size_t taken = operator_at(begin, p, end);
    if (taken > 0) {
      p += taken;
    } else if (*p == '(') {
      p = after_same(p, end, '(', ')');
    } else if (*p == '{') {
      p = after_same(p, end, '{', '}');
    } else {
      depth += *p == '<';
      depth -= *p == '>' && p[-1] != '-';
      p++;
      if (depth == 0) return p;
    }
  }
  return NULL;
}

/* Returns one past the group of brackets that begins at `p`; NULL if it has no end. */
static const char *after_group(const char *begin, const char *p, const char *end) {
  switch (*p) {
    case '(': return after_same(p, end, '(', ')');
    case '{': return after_same(p, end, '{', '}');
    case '[': return after_same(p, end, '[', ']');
    default: return after_angle(begin, p, end);
  }
}

/* --- without parameters and template arguments ------------------------------------ */

/* A name being shortened. */
typedef struct shortening {
  const char *begin, *p, *end;  /* the name; `p` is its next character to handle */
  char *out;
  size_t length;          /* length of the result */
  size_t word;            /* offset of the last word in the result */
  size_t cut;             /* offset of the function's name, after its return type */
  const char *word_begin, *cut_begin;  /* the same places in the name */
  const char *parameters;  /* of the function; `end` if there are none */
  const char *from, *to;  /* arguments to show; NULL if there are none */
  bool in_operator;       /* in a name such as "operator new": blanks do not end a word */
  gp_name_form form;
} shortening;

static void copy(shortening *s, const char *until) {
  size_t length = (size_t)(until - s->p);
  memmove(s->out + s->length, s->p, length);
  s->length += length;
  s->p = until;
}

/* Whether anything between `begin` and `end` is to be shown. */
static bool is_shown(const shortening *s, const char *begin, const char *end) {
  return s->from && begin < s->to && s->from < end;
}

/* Returns the end of the argument at `p`: the next comma outside brackets, or `end`. */
static const char *argument_end(const char *begin, const char *p, const char *end) {
  while (p < end && *p != ',') {
    size_t taken = operator_at(begin, p, end);
    const char *after = *p && strchr("(<{[", *p) ? after_group(begin, p, end) : NULL;
    p = taken > 0 ? p + taken : after ? after : p + 1;
  }
  return p < end ? p : end;
}

/* Whether there is nothing but namespaces between `p` and `end`. */
static bool are_namespaces(const char *p, const char *end) {
  while (p < end && (in_identifier(*p) || *p == ':')) p++;
  return p == end;
}

/* Copies an argument that ends at `end`. Its own template arguments are dropped unless
 * they are to be shown. */
static void copy_argument(shortening *s, const char *end) {
  while (s->p < end) {
    size_t taken = operator_at(s->begin, s->p, end);
    const char *after = *s->p && strchr("(<{[", *s->p) ? after_group(s->begin, s->p, end)
                                                       : NULL;
    if (taken == 0 && *s->p == '<' && after && !is_shown(s, s->p + 1, after)) {
      copy(s, s->p + 1);
      s->p = after - 1;
      after = NULL;
    }
    copy(s, taken > 0 ? s->p + taken : after ? after : s->p + 1);
  }
}

/* Copies the brackets of a group, and the arguments in it that are to be shown. The
 * first of them is shown without its namespaces if these distinguish nothing. */
static void copy_shown(shortening *s, const char *after) {
  const char *close = after - 1;
  bool first = true;
  copy(s, s->p + 1);
  while (s->p < close) {
    const char *end = argument_end(s->begin, s->p, close);
    if (is_shown(s, s->p, end)) {
      if (!first) s->out[s->length++] = ',';
      if (!first) s->out[s->length++] = ' ';
      if (s->from > s->p && are_namespaces(s->p, s->from)) s->p = s->from;
      first = false;
      copy_argument(s, end);
    }
    s->p = end;
    while (s->p < close && (*s->p == ',' || *s->p == ' ')) s->p++;
  }
  copy(s, after);
}

/* Skips parameters, unless some are to be shown. */
static void copy_parameters(shortening *s, const char *after) {
  if (is_shown(s, s->p + 1, after))
    copy_shown(s, after);
  else
    s->p = after;
}

/* Skips what may follow parameters: " const", "&". */
static void skip_qualifiers(shortening *s) {
  static const char *const words[] = {" const", " volatile", " noexcept", " &&", " &"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *after = s->p + strlen(words[i]);
    if (begins_with(s->p, s->end, words[i]) &&
        (after == s->end || !in_identifier(*after))) {
      if (is_shown(s, s->p, after)) copy(s, after);
      s->p = after;
      i = (size_t)-1;  /* start again */
    }
  }
}

/* Skips the parameters of a function; false if the parentheses are something else. Only
 * names of functions with template arguments begin with a return type. */
static bool skip_parameters(shortening *s, const char *after) {
  char before = ' ';
  if (s->length > 0) before = s->out[s->length - 1];
  if (before == ' ' && s->length >= 9 &&
      memcmp(s->out + s->length - 9, "decltype ", 9) == 0) {
    copy(s, after);
    return true;
  }
  if (before == ' ' || before == '.' || before == ':') return false;
  if (before == '>' && s->cut == 0) {
    s->cut = s->word;
    s->cut_begin = s->word_begin;
  }
  s->parameters = s->p;
  copy_parameters(s, after);
  skip_qualifiers(s);
  return true;
}

/* Copies a part such as "{lambda(int)#1}", without the parameters. */
static void copy_braces(shortening *s, const char *after) {
  const char *open = memchr(s->p, '(', (size_t)(after - s->p));
  const char *close = open ? after_same(open, after, '(', ')') : NULL;
  if (close) {
    copy(s, open);
    copy_parameters(s, close);
  }
  copy(s, after);
}

/* Whether the angle bracket at `p` begins the arguments of a generic function of Rust,
 * "f::<u32>". Components in angle brackets also follow "::". */
static bool are_generic(const char *begin, const char *p, const char *end) {
  static const char *const components[] = {"<impl ", "<lambda", "<unnamed", "<anonymous",
                                           "<plt>"};
  if (p - begin < 3 || p[-1] != ':' || p[-2] != ':') return false;
  for (size_t i = 0; i < sizeof components / sizeof *components; i++)
    if (begins_with(p, end, components[i])) return false;
  return in_identifier(p[-3]) || p[-3] == '}';
}

/* Copies template arguments, or a component in angle brackets: "<plt>", Rust's "<T as
 * Trait>::f". */
static void copy_arguments(shortening *s, const char *after) {
  bool is_component = (s->length == 0 || s->out[s->length - 1] == ':') &&
                      !are_generic(s->begin, s->p, s->end);
  if (s->form == GP_WITHOUT_ARGUMENTS && !is_component)
    copy_shown(s, after);
  else
    copy(s, after);
}

/* Handles a group of brackets; false if it cannot be taken apart. */
static bool take_group(shortening *s) {
  static const char anonymous[] = "(anonymous namespace)";
  const char *after = after_group(s->begin, s->p, s->end);
  if (!after) return false;
  if (begins_with(s->p, s->end, "[abi:") && !is_shown(s, s->p, after))
    s->p = after;
  else if (begins_with(s->p, s->end, anonymous) || *s->p == '[')
    copy(s, after);
  else if (*s->p == '(')
    return skip_parameters(s, after);
  else if (*s->p == '{')
    copy_braces(s, after);
  else
    copy_arguments(s, after);
  return true;
}

/* Handles the next part of a name; false if it cannot be taken apart. */
static bool take_part(shortening *s) {
  size_t taken = operator_at(s->begin, s->p, s->end);
  if (taken > 0) {
    copy(s, s->p + taken);
    s->in_operator = true;
    return true;
  }
  if (strchr("(<{[", *s->p) && *s->p) return take_group(s);
  if (begins_with(s->p, s->end, " [clone ")) {
    copy(s, s->end);
    return true;
  }
  if (begins_with(s->p, s->end, "::")) s->in_operator = false;
  bool ends_word = *s->p == ' ' && !s->in_operator;
  copy(s, s->p + 1);
  if (ends_word) {
    s->word = s->length;
    s->word_begin = s->p;
  }
  return true;
}

static bool take_parts(shortening *s) {
  while (s->p < s->end)
    if (!take_part(s)) return false;
  return true;
}

size_t gp_shorten_name(const char *name, size_t length, gp_name_form form,
                       const gp_shown_parts *shown, char *out) {
  shortening s = {.begin = name, .p = name, .end = name + length, .out = out,
                  .form = form, .word_begin = name, .cut_begin = name};
  if (shown && shown->from < shown->to) {
    s.from = name + shown->from;
    s.to = name + shown->to;
  }
  if (form == GP_COMPLETE || !take_parts(&s)) {
    memcpy(out, name, length);
    return length;
  }
  if (s.from && s.from < s.cut_begin) s.cut = 0;
  memmove(out, out + s.cut, s.length - s.cut);
  return s.length - s.cut;
}

gp_name_parts gp_take_name_apart(const char *name, size_t length, char *scratch) {
  shortening s = {.begin = name, .p = name, .end = name + length, .out = scratch,
                  .form = GP_WITHOUT_ARGUMENTS, .word_begin = name, .cut_begin = name,
                  .parameters = name + length};
  if (!take_parts(&s)) return (gp_name_parts){0, length};
  return (gp_name_parts){(size_t)(s.cut_begin - name), (size_t)(s.parameters - name)};
}

/* --- fitting ----------------------------------------------------------------------- */

size_t gp_next_component(const char *name, size_t length, size_t from) {
  const char *p = name + from, *end = name + length;
  while (p && p < end) {
    size_t taken = operator_at(name, p, end);
    if (taken > 0 && begins_with(p + taken, end, " ") && p[taken - 1] == 'r')
      break;  /* the type of a conversion may contain "::" */
    if (taken > 0) {
      p += taken;
      continue;
    }
    bool ends = begins_with(p, end, "::");
    if (ends && !(begins_with(p, end, "::<") && are_generic(name, p + 2, end)))
      return (size_t)(p - name) + 2;
    if (ends) p += 2;
    p = *p && strchr("(<{[", *p) ? after_group(name, p, end) : p + 1;
  }
  return length;
}

size_t gp_fitted_room(size_t length, const char *mark) {
  return length + strlen(mark) + 2;
}

/* Replaces the middle of a text with the mark. Returns the length of the result. */
static size_t cut_middle(char *text, size_t length, size_t columns, const char *mark) {
  size_t bytes = strlen(mark);
  gp_cut cut;
  if (!gp_utf8_cut(text, length, columns, gp_utf8_width(mark, bytes), &cut))
    return length;
  memmove(text + cut.head + bytes, text + cut.tail, length - cut.tail);
  memcpy(text + cut.head, mark, bytes);  /* NOLINT(bugprone-not-null-terminated-result) */
  return cut.head + bytes + length - cut.tail;
}

/* Replaces namespaces with the mark, or omits them if only what must be shown fits. */
static size_t drop_namespaces(char *name, size_t length, size_t columns,
                              const char *mark, size_t shown) {
  size_t bytes = strlen(mark), width = gp_utf8_width(name, length), last = 0;
  size_t taken = gp_utf8_width(mark, bytes) + 2;
  size_t most = columns > taken ? columns - taken : 0;
  size_t rest = 0, least = shown > 0 ? shown : 1;
  for (size_t at = 0; at < length; at = gp_next_component(name, length, at)) rest++;
  for (; rest > least; rest--) {
    size_t next = gp_next_component(name, length, last);
    width -= gp_utf8_width(name + last, next - last);
    last = next;
    if (width > most) continue;
    memmove(name + bytes + 2, name + last, length - last);
    /* texts with a length: NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
    memcpy(name, mark, bytes);
    memcpy(name + bytes, "::", 2);  /* NOLINT(bugprone-not-null-terminated-result) */
    return bytes + 2 + length - last;
  }
  memmove(name, name + last, length - last);
  return shown > 0 ? length - last : cut_middle(name, length - last, columns, mark);
}

size_t gp_fit_name(const char *name, size_t length, gp_name_form form, size_t columns,
                   const char *mark, const gp_shown_parts *shown, char *out) {
  size_t rest = 0;
  for (int f = (int)form; f <= GP_WITHOUT_ARGUMENTS; f++) {
    rest = gp_shorten_name(name, length, (gp_name_form)f, shown, out);
    if (gp_utf8_width(out, rest) <= columns) return rest;
  }
  return drop_namespaces(out, rest, columns, mark, shown ? shown->components : 0);
}
