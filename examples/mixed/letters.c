/* A C module for Lua: see "Lua and C functions" in the manual.
 * SPDX-License-Identifier: GPL-3.0-or-later */

#include <lauxlib.h>
#include <string.h>

static int is_vowel(char letter) {
  return letter != 0 && strchr("aeiou", letter) != NULL;
}

/* each_vowel(text, function) */
static int each_vowel(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  for (size_t i = 0; i < size; i++)
    if (is_vowel(text[i])) {
      lua_pushvalue(L, 2);
      lua_pushlstring(L, text + i, 1);
      lua_call(L, 1, 0);
    }
  return 0;
}

int luaopen_letters(lua_State *L) {
  static const luaL_Reg functions[] = {{"each_vowel", each_vowel}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
