/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Static calls as GNU gprof finds them.
 *
 * On the x86 family GNU gprof decodes no instructions: any byte E8 counts as a call, so
 * that it finds calls that the program does not have. Its displacement is taken for
 * unsigned, so that it misses all calls backwards.
 */
#ifndef GP_PROFILE_GNU_STATIC_CALLS_H
#define GP_PROFILE_GNU_STATIC_CALLS_H

#include "gmon/gmon.h"
#include "profile/static_calls.h"

/* On the x86 family: any byte E8 in the part of a function that a histogram of `data`
 * covers is a call, if a function begins at its target, and a histogram covers that. On
 * other architectures the calls of gp_static_calls_find; none, without an error, if
 * libopcodes does not know the architecture. */
bool gp_gnu_static_calls_find(gp_static_calls *calls, const gp_image *image,
                              const gp_symtab *symtab, const gp_data *data,
                              const gp_opcodes *opcodes, gp_error *error);

#endif
