/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the names of compiler-made symbols mean.
 *
 * Optimising compilers clone and split functions, and say so in a suffix:
 * "f.constprop.0", "f.isra.0", "f.part.0", "f.cold".
 */
#ifndef GP_SYMBOLS_CLONE_SUFFIX_H
#define GP_SYMBOLS_CLONE_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>

/* The length of "f" in "f.cold" or "f.cold.12"; 0 if the name is not of a
 * function's cold part. */
size_t gp_clone_cold_stem(const char *name);

static inline bool gp_clone_is_cold(const char *name) {
  return gp_clone_cold_stem(name) != 0;
}

/* Whether GNU gprof takes a local symbol of that name for a function: no "$",
 * and no "." but in trailing groups of ".clone.", ".constprop." or "." and a
 * number. After such a group GNU gprof reads on into the next name of the string
 * table, by the same rules: so do we as long as that begins at or below `limit`.
 * `limit` is NULL where a name ends at its end (gp_policy.bounded_names). */
bool gp_clone_gnu_takes(const char *name, const char *limit);

#endif
