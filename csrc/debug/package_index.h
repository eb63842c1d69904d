/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The index of a package of split files: .debug_cu_index.
 *
 * A package (.dwp) joins the sections of many .dwo files. For each unit, the index has
 * the unit's id and where its parts of the sections begin (DWARF 5, section 7.3.5;
 * version 2 is GCC's extension of DWARF 4).
 */
#ifndef GP_DEBUG_PACKAGE_INDEX_H
#define GP_DEBUG_PACKAGE_INDEX_H

#include "debug/entries.h"

/* Sets the ids of the units of a package, and adds where their parts of other sections
 * begin. A unit that is not in the index, or only in a damaged one, keeps its id. False
 * if there is no memory. */
bool gp_package_index_apply(const gp_image *package, gp_entries *entries);

#endif
