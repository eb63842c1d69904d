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

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- In a checkout the library lies beside this file. Installed by LuaRocks, this file is
-- in TREE/lib/luarocks/rocks-5.4/gprof/VERSION/bin, and the library in the same tree.
-- Returns whether it is the one or the other; neither if the paths have to do.
local function use_library(place)
  local tree = place .. "/../../../../../.."
  local in_checkout = exists(place .. "/lua/gprof/init.lua")
  local lua = in_checkout and place .. "/lua/" or tree .. "/share/lua/5.4/"
  local c = in_checkout and place .. "/build/" or tree .. "/lib/lua/5.4/"
  if exists(lua .. "gprof/init.lua") then
    package.path = lua .. "?.lua;" .. lua .. "?/init.lua;" .. package.path
    package.cpath = c .. "?.so;" .. package.cpath
    return in_checkout and "checkout" or "tree"
  end
end

-- The directory of the file that a link leads to.
local function linked_directory()
  local answer = io.popen("readlink -f " .. quote(source))
  local path = answer:read("a")
  answer:close()
  return string.match(path, "^(.*)/[^/]*$") or directory
end

local home = use_library(directory)
if not home and not package.searchpath("gprof.cli", package.path) then
  directory = linked_directory()
  home = use_library(directory)
end

local function find_core()
  return package.preload["gprof.core"] or package.searchpath("gprof.core", package.cpath)
end

if not find_core() then
  local advice = home == "checkout" and "is not built yet: run 'make -C " .. directory .. "'"
    or "(gprof.core) is not installed"
  if not is_program then error("gprof's core " .. advice, 0) end
  io.stderr:write("gprof.lua: the core ", advice, "\n")
  os.exit(1)
end

if not is_program then
  return dofile(package.searchpath("gprof.init", package.path))
end
os.exit(require("gprof.cli").run(arg))
