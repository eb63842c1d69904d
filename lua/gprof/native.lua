--- The parts that are not Lua: loads them, finds them, or says how to get them.
--
-- The core is linked with libbfd, whose name has its version in it on some systems: after
-- an upgrade nothing loads until it is built anew, and whoever sees a linker's message
-- alone cannot know.
--
-- @internal gprof.native
-- SPDX-License-Identifier: GPL-3.0-or-later

local native = {}

local words = { ["gprof.core"] = "core", ["gprof.opcodes"] = "decoder of instructions" }

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- The checkout that this file is in; nil if it is installed.
local function checkout()
  local path = debug.getinfo(1, "S").source:gsub("^@", "")
  local directory = path:match "^(.*)/lua/gprof/native%.lua$" or
    path == "lua/gprof/native.lua" and "."
  return directory and exists(directory .. "/Makefile") and directory
end

-- Which files were looked for, out of what `package.searchpath` says of them.
local function looked_for(places)
  local paths = {}
  for path in places:gmatch "'([^'\n]*)'" do paths[#paths + 1] = path end
  return (" (looked for %s)"):format(table.concat(paths, ", "))
end

-- What is said of something that is not there; `places` of a module.
local function missing(what, places)
  local directory = checkout()
  if not directory then
    return what .. " is not installed" .. (places and looked_for(places) or "")
  end
  return ("%s is not built yet: run 'make -C %s'"):format(what, directory)
end

local function unfit(what, reason)
  local directory = checkout()
  local advice = directory and ("built again, run 'make -C %s'"):format(directory) or
    "built and installed again, by 'luarocks make' or 'make install' from its source"
  return ("%s has to be %s: %s"):format(what, advice, reason)
end

--- Loads a module.
-- @tparam string name "gprof.core" or "gprof.opcodes"
-- @treturn[1] table what `require` returns
-- @return[2] nil
-- @treturn[2] string what is wrong with it, and what to do: "core is not installed", with
--   the places where it was looked for
function native.load(name)
  local loaded, result = pcall(require, name)
  if loaded then return result end
  local found, places = package.searchpath(name, package.cpath)
  if package.preload[name] or found then
    return nil, unfit(words[name], tostring(result):match "([^\n\t]*)%s*$")
  end
  return nil, missing(words[name], places)
end

--- Finds the runtime that counts blocks, which programs are linked with: it lies beside the
-- core, in a checkout one directory above.
-- @treturn[1] string its path
-- @return[2] nil
-- @treturn[2] string what is wrong, and what to do
function native.blocks_runtime()
  local core = package.searchpath("gprof.core", package.cpath) or ""
  for _, pattern in ipairs { "^(.*/)[^/]*$", "^(.*/)gprof/[^/]*$" } do
    local directory = core:match(pattern)
    local path = directory and directory .. "libgprof-blocks.a"
    if path and exists(path) then return path end
  end
  return nil, missing "runtime that counts blocks"
end

return native
