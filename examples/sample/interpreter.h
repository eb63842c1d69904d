/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interpreter.h -- parses and executes statements. */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include "table.h"

#include <stdbool.h>

/* Counts of what was executed. */
struct tally {
    unsigned long statements, tokens, zero_divisions;
};

/*
 * Executes every statement of `page`.  Names are looked up, counted and
 * assigned in `names`.  Returns false on a syntax error.
 */
bool interpret(struct slice page, struct table *names, struct tally *tally);

#endif
