/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests of texts, for Lua. */
#ifndef GP_LUA_DIGEST_H
#define GP_LUA_DIGEST_H

#include <lua.h>

#include "base/hash.h"

/* Returns the short digest of the string at stack index `index`. Checkpoints contain such
 * digests, so they are the same in every process. */
gp_key gp_check_digest(lua_State *L, int index);

#endif
