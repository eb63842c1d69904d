/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The width of UTF-8 text on a terminal, and the shortening of long names.
 *
 * Every character counts as one column. East Asian characters occupy two, so columns
 * after them are out of line; this is accepted.
 */
#ifndef GP_BASE_UTF8_WIDTH_H
#define GP_BASE_UTF8_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the width of a text in columns. Escape sequences for colours count as 0. */
size_t gp_utf8_width(const char *text, size_t length);

/* A shortened text: the first `head` bytes, a mark, and the bytes from offset `tail` to
 * the end. */
typedef struct gp_cut {
  size_t head, tail;
} gp_cut;

/* Shortens a text to `room` columns: cuts out its middle, and leaves space there for a
 * mark of `mark` columns. Never splits a character. Returns false if the text fits uncut,
 * or if `room` is too narrow for the mark and a character on each side. */
bool gp_utf8_cut(const char *text, size_t length, size_t room, size_t mark, gp_cut *cut);

#endif
