/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text on a terminal: how many columns it takes, and how a long name is made to fit.
 *
 * A character takes a column, whatever bytes of UTF-8 it has. That is too little for
 * those of East Asia, which take two, and no harm is done: a line is longer.
 */
#ifndef GP_BASE_UTF8_WIDTH_H
#define GP_BASE_UTF8_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

/* The columns of some text; sequences that switch colours take none. */
size_t gp_utf8_width(const char *text, size_t length);

/* What is left of a name: the bytes at its beginning, and where its end begins. */
typedef struct gp_cut {
  size_t head, tail;
} gp_cut;

/* Cuts text in the middle, where a mark of `mark` columns is to stand, so that all is
 * `room` columns wide; never within a character. False if it fits as it is, or if there
 * is no room for the mark and a character on each side. */
bool gp_utf8_cut(const char *text, size_t length, size_t room, size_t mark, gp_cut *cut);

#endif
