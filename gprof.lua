#!/usr/bin/env lua5.4
-- gprof for Lua: shows where a program spent its time.
-- SPDX-License-Identifier: GPL-3.0-or-later
--
-- This file is the program, `lua gprof.lua [options] [image [profile...]]`. It finds its
-- library next to itself or among the installed modules, and calls gprof.cli.main. From
-- the checkout it also implements `require "gprof"`.
--
-- It is valid Lua 5.1 to 5.4. An interpreter other than Lua 5.4 runs it again with
-- lua5.4.

local source = string.gsub(debug.getinfo(1, "S").source, "^@", "")
local is_program = arg ~= nil and arg[0] == source

local function quote(text)
  return "'" .. string.gsub(text, "'", "'\\''") .. "'"
end

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- Returns the path of a program, quoted for a shell. Relative directories of PATH may be
-- an attacker's.
local function find_program(name)
  local directories = ":" .. (os.getenv "PATH" or "/bin:/usr/bin")
  for directory in string.gmatch(directories, ":(/[^:]*)") do
    local path = directory .. "/" .. name
    if exists(path) then return quote(path) end
  end
end

-- Runs the same command with lua5.4. os.execute returns a wait() status in Lua 5.1, and
-- three values since 5.2. The exit status after a signal is that of shells.
local function run_with_lua54()
  local interpreter = find_program "lua5.4"
  if not interpreter then
    io.stderr:write("gprof.lua: needs Lua 5.4: this is ", _VERSION,
      ", and lua5.4 is not installed\n")
    os.exit(1)
  end
  local command = "exec " .. interpreter .. " " .. quote(source)
  for _, argument in ipairs(arg) do
    command = command .. " " .. quote(argument)
  end
  local status, kind, code = os.execute(command)
  if type(status) == "number" then
    kind = status % 256 == 0 and "exit" or "signal"
    code = kind == "exit" and status / 256 or status % 128
  end
  os.exit(kind == "signal" and 128 + code or code)
end

if _VERSION ~= "Lua 5.4" then
  if is_program then run_with_lua54() end
  error("gprof needs Lua 5.4, this is " .. _VERSION, 0)
end

-- Nearly all garbage is lines that were just printed: the generational collector takes a
-- fifth less time and memory than the incremental one. Entering this mode marks all
-- objects, which are few now. The collector rests until gprof.cli.main needs it.
if is_program then
  collectgarbage "generational"
  collectgarbage "stop"
end

-- Where the library may be, relative to the directory of this file: in a checkout, where
-- this file is at the top; in an installation prefix, where it is in "bin"; with
-- LuaRocks, where it is in "lib/luarocks/rocks-5.4/gprof/VERSION/bin".
local homes = {
  { lua = "/lua/", c = "/build/" },
  { lua = "/../share/lua/5.4/", c = "/../lib/lua/5.4/" },
  { lua = "/../../../../../../share/lua/5.4/", c = "/../../../../../../lib/lua/5.4/" },
}

-- Returns the path of a directory with symbolic links resolved.
local function absolute(path, core)
  local found = core.real_path(path)
  return found and found .. "/" or path
end

-- Loads gprof.library.home, which finds all other modules: as bytecode, if there is a
-- core.
local function use_home(lua, c)
  local open_core = package.preload["gprof.core"] or
    package.loadlib(c .. "gprof/core.so", "luaopen_gprof_core")
  local core, bundle = open_core and open_core "gprof.core", nil
  if core then
    lua, c = absolute(lua, core), absolute(c, core)
    bundle = core.open_bundle(c .. "gprof/modules.bundle", lua)
  end
  local run = bundle and bundle "gprof.library.home"
  local home = run and run() or dofile(lua .. "gprof/library/home.lua")
  package.loaded["gprof.core"] = core
  home.use(core, c, bundle)
end

-- Uses the library relative to a directory, if it is there.
local function use_library(directory)
  for _, home in ipairs(homes) do
    if exists(directory .. home.lua .. "gprof/library/home.lua") then
      use_home(directory .. home.lua, directory .. home.c)
      return true
    end
  end
end

-- Uses the library in an absolute directory of package.path.
local function use_installed_library()
  local directories = string.gsub(";" .. package.path, ";[^/;][^;]*", "")
  local path = package.searchpath("gprof/library/home", directories)
  return path and dofile(path)
end

local function directory_of(path)
  return string.match(path, "^(.*)/[^/]*$") or "."
end

-- Returns the path of this file with symbolic links resolved.
local function real_path()
  local program = find_program "readlink"
  local pipe = program and io.popen(program .. " -f " .. quote(source))
  return pipe and pipe:read() or source
end

local function fail(problem)
  if not is_program then error("gprof's " .. problem, 0) end
  io.stderr:write("gprof.lua: the ", problem, "\n")
  os.exit(1)
end

local found = package.loaded["gprof.library.home"] or use_library(directory_of(source)) or
  use_library(directory_of(real_path())) or use_installed_library()
if not found then fail "library is not installed" end
if not is_program then
  local directory = package.loaded["gprof.library.home"].directories()
  return dofile(directory .. "gprof/init.lua")
end
if not package.loaded["gprof.core"] then
  local core, problem = require "gprof.library.native".load "gprof.core"
  if not core then fail(problem) end
  require "gprof.library.home".use(core)
end
os.exit(require("gprof.cli.main").run(arg))
