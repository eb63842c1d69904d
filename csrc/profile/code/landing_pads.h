/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Landing pads: the places in the code where exceptions lead. No jump leads to a landing
 * pad.
 *
 * .eh_frame refers to the functions' tables of landing pads, which are in
 * .gcc_except_table. Compilers write these tables for C++ and some other languages.
 * Reading both sections takes time and memory in proportion to their sizes.
 */
#ifndef GP_PROFILE_CODE_LANDING_PADS_H
#define GP_PROFILE_CODE_LANDING_PADS_H

#include "object/image.h"

typedef struct gp_landing_pads {
  bool known;             /* the tables could be read, or there are none */
  size_t count, capacity;
  uint64_t *address;      /* ascending */
} gp_landing_pads;

/* Finds all landing pads of an image. False if there is no memory. The caller frees the
 * result in either case. */
bool gp_landing_pads_find(gp_landing_pads *found, const gp_image *image);
void gp_landing_pads_free(gp_landing_pads *pads);

#endif
