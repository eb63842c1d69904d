/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interpreter.h -- statements, read and carried out. */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include "table.h"

#include <stdbool.h>

/* What has been met so far. */
struct tally {
    unsigned long statements, tokens, zero_divisions;
};

/*
 * Carries out every statement of `page`.  Names are looked up, counted and
 * assigned in `names`.  False when the page is not well formed.
 */
bool interpret(struct slice page, struct table *names, struct tally *tally);

#endif
