/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that are shortened, but remain different from each other.
 *
 * Among `int RegEx::Match<A>(A&)` and `int RegEx::Match<B>(B&)`, the template arguments
 * are shown: `RegEx::Match<A>`. As few arguments and parameters as possible are shown:
 * those up to the first one that no other name of the same short form has, without those
 * that all these names begin with. Namespaces and classes are shown if another function
 * has the same last components.
 */
#ifndef GP_SYMBOLS_DISTINCT_NAMES_H
#define GP_SYMBOLS_DISTINCT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/short_name.h"

/* Finds what to show of each of `count` names, which may have duplicates. Returns false
 * if there is no memory. */
bool gp_distinct_names(const char *const *names, size_t count, gp_shown_parts *shown);

#endif
