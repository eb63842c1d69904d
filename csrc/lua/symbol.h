/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A symbol for Lua: what an image says of a function. */
#ifndef GP_LUA_SYMBOL_H
#define GP_LUA_SYMBOL_H

#include "lua/part.h"

/* Fields of a symbol; functions of a profile have them, too. */
extern const gp_field gp_symbol_fields[];

/* The name that reports show of a part that is a symbol, or a function. */
gp_field_value gp_name_of_symbol(const gp_part *p);

#endif
