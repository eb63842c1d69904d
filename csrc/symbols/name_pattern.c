/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns that select functions by name. */
#include "symbols/name_pattern.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/clone_suffix.h"
#include "symbols/short_name.h"

/* Removes "<>", which stands for template arguments in short names, and Rust's "::<>".
 * Returns the new length. */
static size_t remove_empty_arguments(char *text, size_t length) {
  size_t kept = 0;
  for (size_t at = 0; at < length; at++) {
    if (at + 1 >= length || text[at] != '<' || text[at + 1] != '>') {
      text[kept++] = text[at];
      continue;
    }
    if (kept > 2 && text[kept - 1] == ':' && text[kept - 2] == ':') kept -= 2;
    at++;
  }
  return kept;
}

/* Removes ABI tags: declarations rarely show them. Returns the new length. */
static size_t remove_tags(char *text, size_t length) {
  static const char tag[] = "[abi:";
  const size_t size = sizeof tag - 1;
  size_t kept = 0;
  for (size_t at = 0; at < length; at++) {
    const char *close = length - at > size && memcmp(text + at, tag, size) == 0
                            ? memchr(text + at, ']', length - at)
                            : NULL;
    if (close)
      at = (size_t)(close - text);
    else
      text[kept++] = text[at];
  }
  return kept;
}

/* Whether the numbers of opening and closing brackets differ, as in the glob
 * "Map<int*". */
static bool is_unbalanced(const char *text, char open, char close) {
  ptrdiff_t depth = 0;
  for (; *text; text++) depth += (*text == open) - (*text == close);
  return depth != 0;
}

/* Returns one past the end of a bracket expression: "[]a-z]", "[[:digit:])]". */
static const char *skip_bracket(const char *at) {
  at += 1 + (at[1] == '^');
  if (*at == ']') at++;
  while (*at && *at != ']') {
    const char kind = at[1];
    if (*at == '[' && (kind == ':' || kind == '.' || kind == '=')) {
      const char end[] = {kind, ']', '\0'};
      const char *close = strstr(at + 2, end);
      if (close) at = close + 1;
    }
    at++;
  }
  return *at ? at + 1 : at;
}

/* Writes "^.*(REGEX)". It is matched in one pass over a name, whereas the C library tries
 * "REGEX" at each character, and reads up to the end of the name each time. Escapes
 * closing parentheses that close nothing, which the C library takes literally. False if
 * the expression refers to one of its groups: such expressions can take exponential
 * time. `form` has room for twice the text and 6 bytes. */
static bool anchor(const char *text, char *form) {
  size_t depth = 0;
  for (const char *start = "^.*("; *start; start++) *form++ = *start;
  for (const char *end = text; *text; text = end) {
    end = *text == '[' ? skip_bracket(text) : text + 1 + (*text == '\\' && text[1]);
    if (*text == '\\' && text[1] >= '1' && text[1] <= '9') return false;
    if (*text == '(') depth++;
    if (*text == ')' && depth-- == 0) {
      *form++ = '\\';
      depth = 0;
    }
    memcpy(form, text, (size_t)(end - text));
    form += end - text;
  }
  memcpy(form, ")", 2);
  return true;
}

static bool compile_form(regex_t *regex, const char *text, gp_error *error) {
  char problem[128];
  int code = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
  if (code == 0) return true;
  if (code == REG_ESPACE) return gp_fail_memory(error);
  regerror(code, regex, problem, sizeof problem);
  return gp_fail(error, "%s", problem);
}

/* Compiles the text first as it is, so that messages are about what the user wrote. */
static bool compile(gp_name_pattern *pattern, const char *text, gp_error *error) {
  if (!compile_form(&pattern->regex, text, error)) return false;
  regfree(&pattern->regex);
  char *form = malloc(2 * strlen(text) + 6);
  if (!form) return gp_fail_memory(error);
  bool done = anchor(text, form) ? compile_form(&pattern->regex, form, error)
                                 : gp_fail(error, "Back references are not supported");
  free(form);
  return done;
}

bool gp_name_pattern_open(gp_name_pattern *pattern, gp_pattern_kind kind,
                          const char *text, gp_error *error) {
  *pattern = (gp_name_pattern){.kind = kind};
  if (kind == GP_REGEX) return compile(pattern, text, error);
  size_t length = strlen(text);
  char *form = malloc(length + 1);
  pattern->text = malloc(length + 1);
  if (form && pattern->text) {
    memcpy(pattern->text, text, length);
    length = remove_tags(pattern->text, remove_empty_arguments(pattern->text, length));
    pattern->text[length] = '\0';
    size_t rest =
        gp_shorten_name(pattern->text, length, GP_WITHOUT_PARAMETERS, NULL, form);
    pattern->parameters = rest < length || is_unbalanced(pattern->text, '(', ')');
    pattern->arguments =
        gp_shorten_name(pattern->text, length, GP_WITHOUT_ARGUMENTS, NULL, form) < rest ||
        is_unbalanced(pattern->text, '<', '>');
  }
  free(form);
  if (form && pattern->text) return true;
  free(pattern->text);
  return gp_fail_memory(error);
}

void gp_name_pattern_close(gp_name_pattern *pattern) {
  if (pattern->kind == GP_REGEX) regfree(&pattern->regex);
  free(pattern->text);
  *pattern = (gp_name_pattern){.kind = GP_COMPONENTS};  /* matches nothing */
}

/* Whether a glob matches a whole text. Only the last "*" needs to be tried again, so the
 * work is at most proportional to the product of the lengths. */
static bool glob_matches(const char *glob, const char *text, size_t length) {
  const char *end = text + length, *star = NULL, *retry = NULL;
  while (text < end) {
    if (*glob == '*') {
      star = glob++;
      retry = text;
    } else if (*glob == '?' || *glob == *text) {
      glob++;
      text++;
    } else if (star) {
      glob = star + 1;
      text = ++retry;
    } else {
      return false;
    }
  }
  while (*glob == '*') glob++;
  return *glob == '\0';
}

/* Whether a glob without "*" matches the beginning of a text. */
static bool matches_start(const char *glob, size_t glob_length, const char *text,
                          size_t length) {
  if (glob_length > length) return false;
  for (size_t i = 0; i < glob_length; i++)
    if (glob[i] != '?' && glob[i] != text[i]) return false;
  return true;
}

/* Whether a glob matches the last components of a name. Only the part before the first
 * "*" is tried at each component. The rest of the glob is tried only after the first
 * match of this part: if it does not match there, it cannot match the shorter text after
 * a later match. */
static bool glob_matches_components(const char *glob, const char *name, size_t length) {
  size_t fixed = strcspn(glob, "*");
  for (size_t from = 0; from < length; from = gp_next_component(name, length, from)) {
    if (!matches_start(glob, fixed, name + from, length - from)) continue;
    if (glob[fixed] == '*')
      return glob_matches(glob + fixed, name + from + fixed, length - from - fixed);
    if (length - from == fixed) return true;
  }
  return false;
}

/* Whether the text matches what remains of a name. */
static bool matches_text(const gp_name_pattern *pattern, const char *name,
                         size_t length) {
  if (pattern->kind == GP_GLOB)
    return glob_matches_components(pattern->text, name, length);
  size_t size = strlen(pattern->text);
  for (size_t from = 0; from < length; from = gp_next_component(name, length, from))
    if (length - from == size && memcmp(pattern->text, name + from, size) == 0)
      return true;
  return false;
}

/* Writes a name without parameters, and without template arguments if the pattern has
 * none. Returns its length. */
static size_t copy_short(const gp_name_pattern *pattern, const char *name, size_t length,
                         char *out) {
  gp_name_form form = pattern->arguments ? GP_WITHOUT_PARAMETERS : GP_WITHOUT_ARGUMENTS;
  length = gp_shorten_name(name, length, form, NULL, out);
  if (!pattern->arguments) length = remove_empty_arguments(out, length);
  return remove_tags(out, length);
}

/* Writes a name with its parameters, but without a return type, and without template
 * arguments if the pattern has none. Returns its length. */
static size_t copy_with_parameters(const gp_name_pattern *pattern, const char *name,
                                   size_t length, char *out) {
  gp_name_parts parts = gp_take_name_apart(name, length, out);
  size_t head = parts.parameters - parts.function, tail = length - parts.parameters;
  const char *after = name + parts.parameters;
  name += parts.function;
  if (pattern->arguments)
    memcpy(out, name, head);  /* NOLINT(bugprone-not-null-terminated-result) */
  else
    head = copy_short(pattern, name, head, out);
  memcpy(out + head, after, tail);  /* NOLINT(bugprone-not-null-terminated-result) */
  return remove_tags(out, head + tail);
}

static bool matches_with_parameters(const gp_name_pattern *pattern, const char *name,
                                    size_t length, char *scratch) {
  memcpy(scratch, name, length);  /* NOLINT(bugprone-not-null-terminated-result) */
  if (matches_text(pattern, scratch, remove_tags(scratch, length))) return true;
  if (!memchr(name, '<', length)) return false;
  length = copy_with_parameters(pattern, name, length, scratch);
  return matches_text(pattern, scratch, length);
}

bool gp_name_pattern_matches(const gp_name_pattern *pattern, const char *name,
                             char *scratch) {
  if (pattern->kind == GP_REGEX) return regexec(&pattern->regex, name, 0, NULL, 0) == 0;
  if (!pattern->text) return false;
  size_t length = strlen(name);
  if (pattern->kind == GP_CLONES) {
    size_t stem = gp_clone_stem(name, length, true);
    if (stem == length) return false;
    length = stem;
  }
  if (pattern->parameters)
    return matches_with_parameters(pattern, name, length, scratch);
  return matches_text(pattern, scratch, copy_short(pattern, name, length, scratch));
}
