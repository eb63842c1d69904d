/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that cold parts belong to.
 *
 * Compilers move the unlikely part of a function "f" out of the way and call it "f.cold".
 * With -fbasic-block-sections, clang moves any parts, and calls them "f.__part.1" etc.;
 * these are treated the same.
 * The cold part is local to the source file of "f", but "f" may be listed elsewhere in
 * the symbol table: with the global symbols, or, if it is hidden, after the local symbols
 * of all files (ld, gold).
 */
#ifndef GP_SYMBOLS_COLD_PARTS_H
#define GP_SYMBOLS_COLD_PARTS_H

#include "symbols/candidates.h"

/* Sets the owner of every cold part to the row of its function. Candidates must be in the
 * order of the table. A cold part without an owner remains a function. False if there is
 * no memory. */
bool gp_cold_parts_assign(gp_candidates *chosen);

#endif
