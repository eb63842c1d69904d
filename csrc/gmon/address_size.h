/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognizes profiles of programs with another address size. A profile has addresses of 4
 * or 8 bytes, like its program, but does not say which.
 */
#ifndef GP_GMON_ADDRESS_SIZE_H
#define GP_GMON_ADDRESS_SIZE_H

#include "gmon/records.h"

/* What the beginning of a file says about the size of its addresses. */
typedef enum gp_size_verdict {
  GP_SIZE_OWN,          /* nothing speaks against the program's size */
  GP_SIZE_OTHER,        /* only with the other size, it is a 4.4BSD profile */
  GP_SIZE_SEEMS_OTHER,  /* only the other size makes sense. But not all of a stream can be
                           examined: this explains why a file cannot be read, and is no
                           reason to refuse one that can */
} gp_size_verdict;

/* Examines the beginning of the file. Consumes nothing. */
gp_size_verdict gp_examine_address_size(gp_records *r, bool magic);

/* Whether the beginning of a BSD file only makes sense in the other byte order. Like
 * GP_SIZE_SEEMS_OTHER, this explains why a file cannot be read. Consumes nothing. */
bool gp_seems_other_order(gp_records *r);

#endif
