--- What is said of parts that are not Lua, where they are missing or cannot be loaded.
--
-- The core is linked with libbfd, whose name has its version in it on some systems: after
-- an upgrade nothing loads until it is built anew, and whoever sees a linker's message
-- alone cannot know.
--
-- @internal gprof.library.missing
-- SPDX-License-Identifier: GPL-3.0-or-later

local missing = {}

local words = {
  ["gprof.core"] = "core", ["gprof.opcodes"] = "decoder of instructions",
  ["gprof.confinement"] = "sandbox", ["gprof.xz"] = "reader of .gnu_debugdata",
}

-- What it takes to build those that are not built without.
local needs <const> = { ["gprof.xz"] = ", with liblzma (liblzma-dev) installed" }

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- The checkout that this file is in; nil if it is installed.
local function checkout()
  local path = debug.getinfo(1, "S").source:gsub("^@", "")
  local directory = path:match "^(.*)/lua/gprof/library/missing%.lua$" or
    path == "lua/gprof/library/missing.lua" and "."
  return directory and exists(directory .. "/Makefile") and directory
end

-- Which files were looked for, out of what `package.searchpath` says of them.
local function looked_for(places)
  local paths = {}
  for path in places:gmatch "'([^'\n]*)'" do paths[#paths + 1] = path end
  return (" (looked for %s)"):format(table.concat(paths, ", "))
end

-- What is said of something that is not there; `places` of a module, `more` of what it
-- takes.
local function absent(what, places, more)
  local directory = checkout()
  if not directory then
    return what .. " is not installed" .. (places and looked_for(places) or "")
  end
  return ("%s is not built yet: run 'make -C %s'%s"):format(what, directory, more or "")
end

local function unfit(what, reason)
  local directory = checkout()
  local advice = directory and ("built again, run 'make -C %s'"):format(directory) or
    "built and installed again, by 'luarocks make' or 'make install' from its source"
  return ("%s has to be %s: %s"):format(what, advice, reason)
end

--- What is said of a module.
-- @tparam string name "gprof.core", "gprof.opcodes", "gprof.xz" or "gprof.confinement"
-- @param problem what `require` threw
-- @treturn string "core is not installed (looked for ...)"
function missing.module(name, problem)
  if tostring(problem):find "not enough memory$" then  -- there is nothing wrong with it
    return words[name] .. " cannot be loaded: not enough memory"
  end
  local found, places = package.searchpath(name, package.cpath)
  if package.preload[name] or found then
    return unfit(words[name], tostring(problem):match "([^\n\t]*)%s*$")
  end
  return absent(words[name], places, needs[name])
end

--- What is said of the runtime that counts blocks.
-- @treturn string
function missing.runtime()
  return absent "runtime that counts blocks"
end

return missing
