/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lexer.c -- splits text into tokens.
 *
 * Letters are classified here rather than by <ctype.h>, whose results depend
 * on the locale.
 */
#include "lexer.h"

/* Macros, since a profiled call would cost more than the test itself. */
#define IS_BLANK(c) ((c) == ' ' || (c) == '\n')
#define IS_DIGIT(c) ('0' <= (c) && (c) <= '9')
#define IS_LETTER(c) ('a' <= (c) && (c) <= 'z')

static void scan_name(struct lexer *lexer)
{
    while (lexer->here < lexer->end && IS_LETTER(*lexer->here))
        lexer->here++;
}

static field scan_number(struct lexer *lexer)
{
    uint64_t value = 0;

    for (; lexer->here < lexer->end && IS_DIGIT(*lexer->here); lexer->here++)
        value = (value * 10 + (uint64_t)(*lexer->here - '0')) % FIELD_PRIME;
    return (field)value;
}

struct token lexer_next(struct lexer *lexer)
{
    struct token token = {TOKEN_END, {NULL, 0}, 0};

    while (lexer->here < lexer->end && IS_BLANK(*lexer->here))
        lexer->here++;
    if (lexer->here == lexer->end)
        return token;

    token.text.chars = lexer->here;
    if (IS_LETTER(*lexer->here)) {
        token.kind = TOKEN_NAME;
        scan_name(lexer);
    } else if (IS_DIGIT(*lexer->here)) {
        token.kind = TOKEN_NUMBER;
        token.value = scan_number(lexer);
    } else {
        token.kind = *lexer->here++;
    }
    token.text.length = (size_t)(lexer->here - token.text.chars);
    return token;
}
