/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols for Lua: functions of an image, independent of any profile. */
#ifndef GP_LUA_SYMBOL_H
#define GP_LUA_SYMBOL_H

#include "lua/part.h"

/* Fields of a symbol, which functions of a profile also have. The list ends with a NULL
 * name. */
extern const gp_field gp_symbol_fields[];

/* The name of a symbol, or of a function of a profile, as reports show it. */
gp_field_value gp_name_of_symbol(const gp_part *p);

#endif
