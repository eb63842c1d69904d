/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads context profiles, which the recorder writes (see doc/contexts.md).
 *
 * A context profile has the calls and samples of each call path in a process, in the
 * program and its libraries. What is read here is their sum for the data's image: the
 * records that gmon.out has, in the same order. So reports are the same from both files.
 */
#ifndef GP_GMON_CONTEXT_PROFILE_H
#define GP_GMON_CONTEXT_PROFILE_H

#include "gmon/records.h"

/* How a context profile begins, and the size of its header. */
#define GP_CONTEXT_MAGIC "gprofctx"
#define GP_CONTEXT_HEADER ((size_t)16)

/* Reads a file from its beginning. The data's build ID chooses the module; without one it
 * is the program. Adds nothing unless the whole file is valid. */
bool gp_context_profile_read(gp_records *r);

#endif
