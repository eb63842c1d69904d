/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns that select functions by name.
 *
 * A pattern is compared with demangled names. A pattern without parameters matches names
 * with any parameters; the same holds for template arguments. ABI tags ("[abi:cxx11]")
 * are ignored.
 */
#ifndef GP_SYMBOLS_NAME_PATTERN_H
#define GP_SYMBOLS_NAME_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include "base/error.h"

typedef enum gp_pattern_kind {
  GP_COMPONENTS,  /* the last components of a qualified name: "Map::find", "find" */
  GP_GLOB,        /* like GP_COMPONENTS, but "*" matches any text and "?" any character */
  GP_CLONES,      /* like GP_COMPONENTS, for clones, whose suffix is ignored:
                     "Map::find [clone .isra.0]" */
  GP_REGEX        /* an extended regular expression of POSIX, found anywhere in a name */
} gp_pattern_kind;

typedef struct gp_name_pattern {
  gp_pattern_kind kind;
  bool parameters, arguments;  /* whether the pattern has parameters, or template
                                  arguments */
  char *text;
  regex_t regex;               /* for GP_REGEX */
} gp_name_pattern;

/* Fails if a regular expression is invalid, or if there is no memory. */
bool gp_name_pattern_open(gp_name_pattern *pattern, gp_pattern_kind kind,
                          const char *text, gp_error *error);
void gp_name_pattern_close(gp_name_pattern *pattern);

/* Whether a name matches. `scratch` has room for the name. */
bool gp_name_pattern_matches(const gp_name_pattern *pattern, const char *name,
                             char *scratch);

#endif
