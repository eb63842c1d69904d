/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions of an image in assembler, for Lua. */
#include <lauxlib.h>

#include "lua/arguments.h"
#include "lua/image.h"
#include "lua/module.h"
#include "object/disasm.h"

#define GP_DISASM "gprof.disasm"

/* The most bytes of code that are decoded at a time. */
enum { MOST = 1 << 16 };

static int close_disasm(lua_State *L) {
  gp_disasm_close(luaL_checkudata(L, 1, GP_DISASM));
  return 0;
}

/* Pushes a decoder. The collector closes it if memory runs out. */
static gp_disasm *push_disasm(lua_State *L) {
  gp_disasm *decoder = lua_newuserdatauv(L, sizeof *decoder, 0);
  decoder->decode = NULL;
  luaL_setmetatable(L, GP_DISASM);
  return decoder;
}

/* Reads the bytes of a section from an address on. Returns false if that fails. */
static bool read_code(const gp_image *image, asection *section, gp_range code,
                      uint8_t *bytes) {
  uint64_t offset = code.low - bfd_section_vma(section);
  return bfd_get_section_contents(image->file, section, bytes, (file_ptr)offset,
                                  code.high - code.low);
}

/* Appends the instructions to the array at the top. */
static void push_instructions(lua_State *L, gp_disasm *decoder, gp_range code) {
  lua_Integer count = 0;
  for (uint64_t address = code.low; address < code.high;) {
    lua_pushinteger(L, (lua_Integer)address);
    lua_rawseti(L, -2, ++count);
    lua_pushstring(L, gp_disasm_write(decoder, &address, code.high));
    lua_rawseti(L, -2, ++count);
    gp_check_image(L, 1);  /* new values can run a finalizer */
  }
}

/* instructions(image, opcodes, low, high) -> an array of the address and the text of each
 * instruction from address `low` on, up to `high` or the end of the section, but of at
 * most MOST bytes; empty if there is no code; or nil and a message. `opcodes` is the
 * value of the module gprof.opcodes. */
static int decode(lua_State *L) {
  const gp_opcodes *opcodes = lua_touserdata(L, 2);
  gp_range code = {(uint64_t)luaL_checkinteger(L, 3), (uint64_t)luaL_checkinteger(L, 4)};
  gp_error error = {""};
  gp_check_image(L, 1);
  if (code.high < code.low) code.high = code.low;
  if (code.high - code.low > MOST) code.high = code.low + MOST;
  gp_disasm *decoder = push_disasm(L);
  uint8_t *bytes = lua_newuserdatauv(L, code.high - code.low, 0);
  lua_newtable(L);
  const gp_image *image = gp_check_image(L, 1);  /* new values can run a finalizer */
  asection *section = gp_image_code_section(image, code.low);
  if (!section || !(section->flags & SEC_HAS_CONTENTS)) return 1;
  code = gp_range_clip(code, gp_image_code_of(image, section));
  if (code.low >= code.high) return 1;
  if (!read_code(image, section, code, bytes)) {
    gp_fail(&error, "%s: the code cannot be read", section->name);
    return gp_push_error(L, &error);
  }
  if (!gp_disasm_open(decoder, image, bytes, opcodes, false, &error))
    return gp_push_error(L, &error);
  decoder->low = code.low;
  push_instructions(L, decoder, code);
  gp_disasm_close(decoder);
  return 1;
}

void gp_define_instructions(lua_State *L) {
  static const luaL_Reg functions[] = {{"instructions", decode}, {NULL, NULL}};
  luaL_newmetatable(L, GP_DISASM);
  lua_pushcfunction(L, close_disasm);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
