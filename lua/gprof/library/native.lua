--- The parts that are not Lua: finds and loads them, or explains why that fails.
--
-- The core is linked with libbfd, whose file name has the version in it on some systems.
-- After an upgrade nothing loads until the core is built again, and the dynamic linker's
-- message alone does not say so.
--
-- @internal gprof.library.native
-- SPDX-License-Identifier: GPL-3.0-or-later

local native = {}

local descriptions <const> = {
  ["gprof.core"] = "core", ["gprof.opcodes"] = "decoder of instructions",
  ["gprof.confinement"] = "sandbox", ["gprof.xz"] = "reader of .gnu_debugdata",
}

-- What building some of them requires.
local requirements <const> = { ["gprof.xz"] = ", with liblzma (liblzma-dev) installed" }

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- The checkout that this file is in; nil if it is installed.
local function checkout()
  local path = debug.getinfo(1, "S").source:gsub("^@", "")
  local directory = path:match "^(.*)/lua/gprof/library/native%.lua$" or
    path == "lua/gprof/library/native.lua" and "."
  return directory and exists(directory .. "/Makefile") and directory
end

-- The files that were looked for, from the message of `package.searchpath`.
local function looked_for(places)
  local paths = {}
  for path in places:gmatch "'([^'\n]*)'" do paths[#paths + 1] = path end
  return (" (looked for %s)"):format(table.concat(paths, ", "))
end

-- The message for a part that does not exist; `places`: where a module was looked for;
-- `more`: what building it requires.
local function absent(what, places, more)
  local directory = checkout()
  if not directory then
    return what .. " is not installed" .. (places and looked_for(places) or "")
  end
  return ("%s is not built yet: run 'make -C %s'%s"):format(what, directory, more or "")
end

-- The message for a module that exists, but cannot be loaded.
local function unfit(what, reason)
  local directory = checkout()
  local advice = directory and ("built again, run 'make -C %s'"):format(directory) or
    "built and installed again, by 'luarocks make' or 'make install' from its source"
  return ("%s has to be %s: %s"):format(what, advice, reason)
end

-- The message for a module that `require` did not load, from what it threw.
local function explain(name, problem)
  local what = descriptions[name]
  if tostring(problem):find "not enough memory$" then  -- nothing is wrong with the module
    return what .. " cannot be loaded: not enough memory"
  end
  local found, places = package.searchpath(name, package.cpath)
  if package.preload[name] or found then
    return unfit(what, tostring(problem):match "([^\n\t]*)%s*$")
  end
  return absent(what, places, requirements[name])
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

--- Finds the runtime that counts blocks, which programs are linked with. It is in the
-- directory of the core, or, in a checkout, in the one above.
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
  return nil, absent "runtime that counts blocks"
end

return native
