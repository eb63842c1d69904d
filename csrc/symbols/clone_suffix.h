/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Suffixes in the names of compiler-made symbols.
 *
 * Optimizing compilers clone and split functions, and mark the results with a suffix:
 * "f.constprop.0", "f.isra.0", "f.part.0", "f.cold"; in demangled names "f(int) [clone
 * .isra.0]". Numbers alone distinguish local functions of one name: "f.1", "f.2".
 */
#ifndef GP_SYMBOLS_CLONE_SUFFIX_H
#define GP_SYMBOLS_CLONE_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>

/* The length of "f" in "f.cold" or "f.cold.12", or in "f.__part.12", a part that clang
 * has moved with -fbasic-block-sections; 0 if the name does not denote a part that is
 * away from its function. */
size_t gp_clone_cold_stem(const char *name);

static inline bool gp_clone_is_cold(const char *name) {
  return gp_clone_cold_stem(name) != 0;
}

/* Whether a name is that of such a part of clang's. */
bool gp_clone_is_numbered_part(const char *name);

/* Returns the length of a name without the suffixes of a clone; `length` if it has none.
 * With `numbers`, numbers alone are also suffixes. */
size_t gp_clone_stem(const char *name, size_t length, bool numbers);

/* Whether GNU gprof accepts the name of a local symbol as the name of a function. The
 * name must not contain "$". It may contain "." only in trailing groups: ".clone.",
 * ".constprop." or ".", each followed by a number. After such a group GNU gprof also
 * checks the next name in the string table, by the same rules. This function does the
 * same while the next name begins at or below `limit`; never if `limit` is NULL
 * (gp_policy.bounded_names). */
bool gp_clone_gnu_accepts(const char *name, const char *limit);

#endif
