/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads context profiles, which the recorder writes (see doc/contexts.md), as data.
 *
 * A context profile has the calls and samples of each call path of a process. A path may
 * lead through the program and its libraries. The reader sums the calls and samples in
 * one image, the program or one library. The result has the same records as gmon.out, in
 * the same order, and also the call paths.
 */
#ifndef GP_GMON_CONTEXTS_CONTEXT_PROFILE_H
#define GP_GMON_CONTEXTS_CONTEXT_PROFILE_H

#include "gmon/records.h"

/* Reads a file from its beginning. Uses the records of the module with the data's build
 * ID, or of the program if the data has no build ID. Adds nothing unless the whole file
 * is valid. */
bool gp_context_profile_read(gp_records *r);

#endif
