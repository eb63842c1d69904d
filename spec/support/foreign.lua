-- Images of other machines: the core is made for one out of its libbfd, and runs here.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local foreign = {}

--- Makes the modules for a machine.
-- @tparam string core what Debian calls the machine in the names of libbfd and libopcodes
-- @tparam string tool a program that is needed, too
-- @treturn boolean
-- @treturn ?string why not
function foreign.prepare(core, tool)
  if shell.run({ tool, "--version" }).status ~= 0 then
    return false, tool .. " is not installed"
  end
  shell.check({ "make", "build/" .. core }, { cwd = program.root })
  return true
end

--- Runs a script in an interpreter that finds the library of the checkout with the core for a machine.
-- @tparam string core
-- @tparam string text of the script
-- @tparam[opt] {string,...} arguments
-- @treturn table as `shell.run` returns it
function foreign.script(core, text, arguments)
  local path = shell.write(shell.tmpdir "script" .. "/script.lua", text)
  local lua, modules = program.root .. "/lua/", program.root .. "/build/" .. core .. "/?.so"
  return shell.run({ "lua5.4", path, table.unpack(arguments or {}) },
    { env = { LUA_PATH = lua .. "?.lua;" .. lua .. "?/init.lua", LUA_CPATH = modules } })
end

return foreign
