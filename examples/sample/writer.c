/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writer.c -- pages of random statements.
 *
 * The functions follow the grammar that interpreter.c parses,
 *
 *     statement  = name "=" expression ";"
 *     expression = term { ("+" | "-") term }
 *     term       = factor { ("*" | "/") factor }
 *     factor     = name | number | "-" factor | "(" expression ")"
 *
 * so they call each other recursively: a cycle in the call graph.
 */
#include "writer.h"

static const char *const syllables[] = {
    "bar", "cal", "con", "den", "dis", "fer", "gal", "her",
    "lan", "mar", "men", "nor", "par", "per", "pol", "qua",
    "ran", "sol", "ter", "tor", "ul",  "ver", "vin", "zen",
};

enum {
    SYLLABLES = sizeof syllables / sizeof syllables[0],
    VOCABULARY = 30000, /* number of different names */
    STRIDE = 7919,      /* coprime to VOCABULARY */
    LARGEST = 999999999,
    DEPTH = 6 /* most nested parentheses */
};

struct writer {
    struct text *page;
    struct rng *rng;
};

static void write_expression(struct writer *w, int depth);

static void write_number(struct writer *w)
{
    uint32_t number = rng_skewed(w->rng, LARGEST + 1);
    char digits[] = "999999999"; /* room for the largest */
    char *first = digits + sizeof digits - 1;

    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    text_add(w->page, first);
}

/* Names are numbers written with syllables as digits. */
static void write_syllables(struct text *page, uint32_t number)
{
    if (number >= SYLLABLES)
        write_syllables(page, number / SYLLABLES);
    text_add(page, syllables[number % SYLLABLES]);
}

/* Without the stride, the most common names would be the shortest. */
static void write_name(struct writer *w)
{
    uint32_t number = rng_skewed(w->rng, VOCABULARY);

    write_syllables(w->page, (number + 1) * STRIDE % VOCABULARY);
}

static void write_factor(struct writer *w, int depth)
{
    uint32_t dice = rng_below(w->rng, 20);

    if (dice < 5 && depth > 0) {
        text_add(w->page, "(");
        write_expression(w, depth - 1);
        text_add(w->page, ")");
    } else if (dice < 6) {
        text_add(w->page, "-");
        write_factor(w, depth);
    } else if (dice < 10) {
        write_number(w);
    } else {
        write_name(w);
    }
}

static void write_term(struct writer *w, int depth)
{
    write_factor(w, depth);
    while (rng_below(w->rng, 3) == 0) {
        text_add(w->page, rng_below(w->rng, 2) == 0 ? " / " : " * ");
        write_factor(w, depth);
    }
}

static void write_expression(struct writer *w, int depth)
{
    write_term(w, depth);
    while (rng_below(w->rng, 2) == 0) {
        text_add(w->page, rng_below(w->rng, 2) == 0 ? " - " : " + ");
        write_term(w, depth);
    }
}

static void write_statement(struct writer *w)
{
    write_name(w);
    text_add(w->page, " = ");
    write_expression(w, DEPTH);
    text_add(w->page, ";\n");
}

void write_page(struct text *page, struct rng *rng, unsigned count)
{
    struct writer w = {page, rng};

    while (count-- > 0)
        write_statement(&w);
}
