/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpreter.c -- parses and executes statements.
 *
 * Recursive descent: one function for each rule of the grammar in writer.c.
 * expression() calls term(), term() calls factor(), and factor() calls
 * expression() again: another cycle in the call graph.
 */
#include "interpreter.h"

#include "lexer.h"

struct parser {
    struct lexer lexer;
    struct token token; /* the next token */
    struct table *names;
    struct tally *tally;
    bool failed;
};

static field expression(struct parser *p);

/* Consumes the next token and returns its kind. */
static char take(struct parser *p)
{
    char kind = p->token.kind;

    p->tally->tokens++;
    p->token = lexer_next(&p->lexer);
    return kind;
}

static void expect(struct parser *p, char kind)
{
    if (p->token.kind == kind)
        take(p);
    else
        p->failed = true;
}

/* Consumes a name and returns its entry in the table. */
static struct entry *name(struct parser *p)
{
    struct entry *entry = table_entry(p->names, p->token.text);

    entry->count++;
    take(p);
    return entry;
}

static field divide(struct parser *p, field a, field b)
{
    if (b == 0) {
        p->tally->zero_divisions++;
        return 0;
    }
    return field_multiply(a, field_invert(b));
}

static field factor(struct parser *p)
{
    field value;

    switch (p->token.kind) {
    case TOKEN_NAME:
        return name(p)->value;
    case '-':
        take(p);
        return field_negate(factor(p));
    case '(':
        take(p);
        value = expression(p);
        expect(p, ')');
        return value;
    default:
        value = p->token.value;
        expect(p, TOKEN_NUMBER);
        return value;
    }
}

static field term(struct parser *p)
{
    field value = factor(p);

    while (p->token.kind == '*' || p->token.kind == '/') {
        if (take(p) == '*')
            value = field_multiply(value, factor(p));
        else
            value = divide(p, value, factor(p));
    }
    return value;
}

static field expression(struct parser *p)
{
    field value = term(p);

    while (p->token.kind == '+' || p->token.kind == '-') {
        if (take(p) == '+')
            value = field_add(value, term(p));
        else
            value = field_add(value, field_negate(term(p)));
    }
    return value;
}

static void statement(struct parser *p)
{
    struct entry *target;

    if (p->token.kind != TOKEN_NAME) {
        p->failed = true;
        return;
    }
    target = name(p);
    expect(p, '=');
    target->value = expression(p);
    expect(p, ';');
    p->tally->statements++;
}

bool interpret(struct slice page, struct table *names, struct tally *tally)
{
    struct parser p = {
        .lexer = {page.chars, page.chars + page.length},
        .names = names,
        .tally = tally,
    };

    p.token = lexer_next(&p.lexer);
    while (!p.failed && p.token.kind != TOKEN_END)
        statement(&p);
    return !p.failed;
}
