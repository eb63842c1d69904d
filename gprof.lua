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

-- In a checkout the library lies beside this file. Installed by LuaRocks, this file is
-- in TREE/lib/luarocks/rocks-5.4/gprof/VERSION/bin, and the library in the same tree.
-- Elsewhere it is wherever the paths say.
local tree = directory .. "/../../../../../.."
local places = {
  { lua = directory .. "/lua/", c = directory .. "/build/" },
  { lua = tree .. "/share/lua/5.4/", c = tree .. "/lib/lua/5.4/" },
}

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

local home
for _, place in ipairs(places) do
  if exists(place.lua .. "gprof/init.lua") then
    home = place
    package.path = place.lua .. "?.lua;" .. place.lua .. "?/init.lua;" .. package.path
    package.cpath = place.c .. "?.so;" .. package.cpath
    break
  end
end

local function find_core()
  return package.preload["gprof.core"] or package.searchpath("gprof.core", package.cpath)
end

if not find_core() then
  local advice = home == places[1] and "is not built yet: run 'make -C " .. directory .. "'"
    or "(gprof.core) is not installed"
  if not is_program then error("gprof's core " .. advice, 0) end
  io.stderr:write("gprof.lua: the core ", advice, "\n")
  os.exit(1)
end

if not is_program then
  return dofile(package.searchpath("gprof.init", package.path))
end
os.exit(require("gprof.cli").run(arg))
