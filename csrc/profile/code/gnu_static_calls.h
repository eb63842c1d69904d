/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Static calls as GNU gprof finds them.
 *
 * On the x86 family GNU gprof does not decode instructions. It takes any byte E8 for a
 * call, so it finds calls that do not exist. It reads the displacement as unsigned, so it
 * misses all backward calls.
 */
#ifndef GP_PROFILE_CODE_GNU_STATIC_CALLS_H
#define GP_PROFILE_CODE_GNU_STATIC_CALLS_H

#include "gmon/gmon.h"
#include "profile/code/static_calls.h"

/* Finds the calls. On the x86 family any byte E8 is a call if a histogram of `data`
 * covers it, and its target is the address of a function that a histogram covers. On
 * other architectures, calls gp_static_calls_find. If libopcodes does not support the
 * architecture, finds no calls and returns no error. Errors: those of
 * gp_static_calls_find; no memory. */
bool gp_gnu_static_calls_find(gp_static_calls *calls, const gp_image *image,
                              const gp_symtab *symtab, const gp_data *data,
                              const gp_opcodes *opcodes, gp_error *error);

#endif
