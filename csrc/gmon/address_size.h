/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognizes profiles of programs whose addresses have another size: a file has the size
 * of the program's addresses, 4 or 8 bytes, but does not say which.
 */
#ifndef GP_GMON_ADDRESS_SIZE_H
#define GP_GMON_ADDRESS_SIZE_H

#include "gmon/records.h"

/* Whether the beginning of the file makes sense only with the other size of addresses.
 * Consumes nothing. */
bool gp_has_other_address_size(gp_records *r, bool magic);

#endif
