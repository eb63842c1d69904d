/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognizes profiles of programs with another address size. A profile has addresses of 4
 * or 8 bytes, like its program, but does not say which.
 */
#ifndef GP_GMON_ADDRESS_SIZE_H
#define GP_GMON_ADDRESS_SIZE_H

#include "gmon/records.h"

/* What the beginning of a file says about the size of its addresses: it is the program's;
 * it is the other one, where the version number of a 4.4BSD profile is; or it seems to be
 * the other one, with which alone the beginning makes sense. What can be examined of a
 * stream depends on its size, so this explains why a file cannot be read, and refuses
 * none that can. */
typedef enum gp_size_verdict {
  GP_SIZE_OWN,
  GP_SIZE_OTHER,
  GP_SIZE_SEEMS_OTHER,
} gp_size_verdict;

/* Examines the beginning of the file. Consumes nothing. */
gp_size_verdict gp_examine_address_size(gp_records *r, bool magic);

#endif
