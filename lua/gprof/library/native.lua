--- Loads the native modules (shared libraries), or explains why that fails.
--
-- The core is linked with libbfd, whose file name contains its version on some systems.
-- After an upgrade of libbfd, the core must be rebuilt. The dynamic linker's message does
-- not say so; ours does.
--
-- @internal gprof.library.native
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = require "gprof.library.home"

local native = {}

local descriptions <const> = {
  ["gprof.core"] = "core", ["gprof.opcodes"] = "instruction decoder",
  ["gprof.confinement"] = "sandbox", ["gprof.hooks"] = "recorder for Lua programs",
  ["gprof.xz"] = ".gnu_debugdata reader",
}

-- Text to append to the advice to build a module.
local requirements <const> = { ["gprof.xz"] = ", with liblzma (liblzma-dev) installed" }

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- Returns the checkout that contains this file; nil if the library is installed.
local function checkout()
  local path = debug.getinfo(1, "S").source:gsub("^@", "")
  local directory = path:match "^(.*)/lua/gprof/library/native%.lua$" or
    path == "lua/gprof/library/native.lua" and "."
  return directory and exists(directory .. "/Makefile") and directory
end

-- Returns the message for a missing part. `path`: where it was looked for; `more`: an
-- entry of `requirements`.
local function missing(what, path, more)
  local directory = checkout()
  if not directory then
    local place = path and (" (looked for %s)"):format(path) or ""
    return what .. " is not installed" .. place
  end
  return ("%s is not built yet: run 'make -C %s'%s"):format(what, directory, more or "")
end

-- Returns the message for an error of `require`.
local function explain(name, problem)
  local what = descriptions[name]
  if tostring(problem):find "not enough memory$" then  -- nothing is wrong with the module
    return what .. " cannot be loaded: not enough memory"
  end
  local path = home.native_path(name)
  if package.preload[name] or exists(path) then
    local directory = checkout()
    local advice = directory and ("rebuild it with 'make -C %s'"):format(directory) or
      "rebuild and install it with 'luarocks make' or 'make install' from its source"
    local reason = tostring(problem):match "([^\n\t]*)%s*$"
    return ("%s cannot be loaded: %s; %s"):format(what, reason, advice)
  end
  return missing(what, path, requirements[name])
end

--- Loads a module.
-- @tparam string name "gprof.core", "gprof.opcodes", "gprof.xz" or "gprof.confinement"
-- @treturn[1] table what `require` returns
-- @return[2] nil
-- @treturn[2] string what is wrong, and what to do: "core is not installed (looked for
--   ...)"
function native.load(name)
  local loaded, result = pcall(require, name)
  if loaded then return result end
  return nil, explain(name, result)
end

-- Finds a library for profiled programs. It is in the directory of the core; in a
-- checkout, one directory above.
local function find_runtime(name, what)
  local _, directory = home.directories()
  for _, place in ipairs { "gprof/", "" } do
    local path = directory .. place .. name
    if exists(path) then return path end
  end
  return nil, missing(what)
end

--- Finds libgprof-blocks.a, the runtime that counts basic blocks in profiled programs.
-- @treturn[1] string its path
-- @return[2] nil
-- @treturn[2] string what is wrong, and what to do
function native.blocks_runtime()
  return find_runtime("libgprof-blocks.a", "block-counting runtime")
end

--- Finds libgprof-recorder.so, the recorder for programs that are not static.
-- @treturn[1] string its absolute path
-- @return[2] nil
-- @treturn[2] string what is wrong, and what to do
function native.recorder()
  local path, message = find_runtime("libgprof-recorder.so", "recorder")
  if not path then return nil, message end
  path = require "gprof.core".real_path(path)
  if path:find "[ :]" then
    return nil,
      ("recorder cannot be loaded: its path, %s, has a blank or a colon"):format(path)
  end
  return path
end

return native
