#!/usr/bin/env lua5.4
-- gprof for Lua: shows where a program spent its time.
-- SPDX-License-Identifier: GPL-3.0-or-later
--
-- This file is the program, `lua gprof.lua [options] [image [profile...]]`: it finds
-- its library beside itself, or among the installed modules, and hands over to
-- gprof.cli. From the checkout it also answers `require "gprof"`.
--
-- It parses under Lua 5.1 to 5.4: where `lua` is another version, it runs itself
-- with lua5.4.

local source = string.gsub(debug.getinfo(1, "S").source, "^@", "")
local is_program = arg ~= nil and arg[0] == source
local directory = string.match(source, "^(.*)/[^/]*$") or "."

local function quote(text)
  return "'" .. string.gsub(text, "'", "'\\''") .. "'"
end

-- Runs this very command with lua5.4. os.execute tells the status of the command as
-- wait() has it in 5.1, and in three values later.
local function run_with_lua54()
  local command = "command -v lua5.4 >/dev/null 2>&1 || exit 127; exec lua5.4 " .. quote(source)
  for _, argument in ipairs(arg) do
    command = command .. " " .. quote(argument)
  end
  local status, _, code = os.execute(command)
  if type(status) == "number" then
    code = status % 256 == 0 and status / 256 or 128 + status % 128
  end
  if code == 127 then
    io.stderr:write("gprof.lua: this is ", _VERSION, ", it needs Lua 5.4 (lua5.4 is not installed)\n")
    code = 1
  end
  os.exit(code)
end

if _VERSION ~= "Lua 5.4" then
  if is_program then run_with_lua54() end
  error("gprof needs Lua 5.4, this is " .. _VERSION)
end

-- In a checkout the library lies beside this file; an installed program finds it on
-- the paths as they are.
local checkout = io.open(directory .. "/lua/gprof/init.lua")
if checkout then
  checkout:close()
  package.path = directory .. "/lua/?.lua;" .. directory .. "/lua/?/init.lua;" .. package.path
  package.cpath = directory .. "/build/?.so;" .. package.cpath
end

if not is_program then
  return dofile(directory .. "/lua/gprof/init.lua")
end

if not package.searchpath("gprof.core", package.cpath) then
  io.stderr:write("gprof.lua: the core is not built yet: run 'make -C ", directory, "'\n")
  os.exit(1)
end
os.exit(require("gprof.cli").run(arg))
