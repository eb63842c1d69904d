/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.h -- pages of random statements. */
#ifndef WRITER_H
#define WRITER_H

#include "rng.h"
#include "text.h"

/* Appends `count` statements, one on a line. */
void write_page(struct text *page, struct rng *rng, unsigned count);

#endif
