/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognizes profiles of programs with another address size. A profile has addresses of 4
 * or 8 bytes, like its program, but does not say which.
 */
#ifndef GP_GMON_ADDRESS_SIZE_H
#define GP_GMON_ADDRESS_SIZE_H

#include "gmon/records.h"

/* Whether the beginning of the file makes sense only with the other size of addresses.
 * Consumes nothing. */
bool gp_has_other_address_size(gp_records *r, bool magic);

#endif
