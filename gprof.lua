#!/usr/bin/env lua5.4
-- gprof for Lua: shows where a program spent its time.
-- SPDX-License-Identifier: GPL-3.0-or-later
--
-- This file is the program, `lua gprof.lua [options] [image [profile...]]`: it finds
-- its library beside itself, or among the installed modules, and hands over to
-- gprof.cli.main. From the checkout it also answers `require "gprof"`.
--
-- It parses under Lua 5.1 to 5.4: where `lua` is another version, it runs itself
-- with lua5.4.

local source = string.gsub(debug.getinfo(1, "S").source, "^@", "")
local is_program = arg ~= nil and arg[0] == source

local function quote(text)
  return "'" .. string.gsub(text, "'", "'\\''") .. "'"
end

-- Runs this very command with lua5.4. os.execute tells the status of the command as
-- wait() has it in 5.1, and in three values later.
local function run_with_lua54()
  local command = "command -v lua5.4 >/dev/null 2>&1 || exit 127; exec lua5.4 " ..
    quote(source)
  for _, argument in ipairs(arg) do
    command = command .. " " .. quote(argument)
  end
  local status, _, code = os.execute(command)
  if type(status) == "number" then
    code = status % 256 == 0 and status / 256 or 128 + status % 128
  end
  if code == 127 then
    io.stderr:write("gprof.lua: this is ", _VERSION,
      ", it needs Lua 5.4 (lua5.4 is not installed)\n")
    code = 1
  end
  os.exit(code)
end

if _VERSION ~= "Lua 5.4" then
  if is_program then run_with_lua54() end
  error("gprof needs Lua 5.4, this is " .. _VERSION, 0)
end

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- Where the library is, seen from the directory of this file: of a checkout; "bin" below
-- a prefix; "lib/luarocks/rocks-5.4/gprof/VERSION/bin" in a tree of LuaRocks.
local homes = {
  { lua = "/lua/", c = "/build/" },
  { lua = "/../share/lua/5.4/", c = "/../lib/lua/5.4/" },
  { lua = "/../../../../../../share/lua/5.4/", c = "/../../../../../../lib/lua/5.4/" },
}

-- Puts the library that belongs to this file before all others. Returns whether there is
-- one.
local function use_library(directory)
  for _, home in ipairs(homes) do
    local lua, c = directory .. home.lua, directory .. home.c
    if exists(lua .. "gprof/init.lua") then
      package.path = lua .. "?.lua;" .. lua .. "?/init.lua;" .. package.path
      package.cpath = c .. "?.so;" .. package.cpath
      return true
    end
  end
end

local function directory_of(path)
  return string.match(path, "^(.*)/[^/]*$") or "."
end

-- The path that a link leads to.
local function linked()
  local answer = io.popen("readlink -f " .. quote(source))
  local path = answer:read()
  answer:close()
  return path or source
end

local function fail(problem)
  if not is_program then error("gprof's " .. problem, 0) end
  io.stderr:write("gprof.lua: the ", problem, "\n")
  os.exit(1)
end

if not (use_library(directory_of(source)) or use_library(directory_of(linked())) or
    package.searchpath("gprof.library.native", package.path)) then
  fail "library is not installed"
end
if not is_program then
  return dofile(package.searchpath("gprof.init", package.path))
end
require "gprof.library.bundle"
local core, problem = require("gprof.library.native").load "gprof.core"
if not core then fail(problem) end
os.exit(require("gprof.cli.main").run(arg))
