/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lexer.h -- splits text into tokens. */
#ifndef LEXER_H
#define LEXER_H

#include "field.h"
#include "text.h"

/* The kind of a one-character token is the character; others are: */
enum { TOKEN_END = '\0', TOKEN_NAME = 'a', TOKEN_NUMBER = '0' };

struct token {
    char kind;
    struct slice text;
    field value; /* of a TOKEN_NUMBER */
};

struct lexer {
    const char *here, *end;
};

struct token lexer_next(struct lexer *lexer);

#endif
