/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the library in Lua knows of an object. */
#include <lauxlib.h>

#include "lua/data.h"
#include "lua/module.h"
#include "lua/profile.h"

/* state(object) -> a table, always the same for an image, data, symbols or a profile,
 * even after they are closed */
static int state(lua_State *L) {
  static const char *const types[] = {GP_IMAGE, GP_DATA, GP_SYMBOLS, GP_PROFILE};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (!luaL_testudata(L, 1, types[i])) continue;
    if (lua_getiuservalue(L, 1, GP_STATE) == LUA_TTABLE) return 1;
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, GP_STATE);
    return 1;
  }
  return luaL_typeerror(L, 1, "gprof.image, data, symbols or profile");
}

void gp_define_state(lua_State *L) {
  static const luaL_Reg module[] = {{"state", state}, {NULL, NULL}};
  luaL_setfuncs(L, module, 0);
}
