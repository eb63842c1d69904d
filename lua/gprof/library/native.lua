--- The parts that are not Lua: loads and finds them. What is said where they are not, or
-- cannot be loaded, is known to gprof.library.missing.
--
-- @internal gprof.library.native
-- SPDX-License-Identifier: GPL-3.0-or-later

local native = {}

--- Loads a module.
-- @tparam string name "gprof.core", "gprof.opcodes", "gprof.xz" or "gprof.confinement"
-- @treturn[1] table what `require` returns
-- @return[2] nil
-- @treturn[2] string what is wrong with it, and what to do: "core is not installed", with
--   the places where it was looked for
function native.load(name)
  local loaded, result = pcall(require, name)
  if loaded then return result end
  return nil, require "gprof.library.missing".module(name, result)
end

--- Finds the runtime that counts blocks, which programs are linked with: it lies beside
-- the core, in a checkout one directory above.
-- @treturn[1] string its path
-- @return[2] nil
-- @treturn[2] string what is wrong, and what to do
function native.blocks_runtime()
  local core = package.searchpath("gprof.core", package.cpath) or ""
  for _, pattern in ipairs { "^(.*/)[^/]*$", "^(.*/)gprof/[^/]*$" } do
    local directory = core:match(pattern)
    local path = directory and directory .. "libgprof-blocks.a"
    local file = path and io.open(path)
    if file then
      file:close()
      return path
    end
  end
  return nil, require "gprof.library.missing".runtime()
end

return native
