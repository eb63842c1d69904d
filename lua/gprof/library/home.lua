--- Where the library is installed, and the only place from which its modules are loaded.
--
-- `require` tries package.path before package.cpath, and by default package.path contains
-- the current directory. There, a file such as `gprof/opcodes.lua` may be an attacker's.
-- So this module puts a searcher before all others. It finds modules named `gprof` or
-- `gprof.*` below the library's own directories, by absolute paths, and nowhere
-- else. Reports of users (`gprof.report.NAME`) may also be in the absolute
-- directories of package.path.
--
-- @internal gprof.library.home
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = {}

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

local function is_absolute(path) return path:sub(1, 1) == "/" end

local function is_ours(name) return name == "gprof" or name:sub(1, 6) == "gprof." end

-- The directories of the Lua modules and of the native ones. They end in "/". Until the
-- core is in use, they may be relative to the current directory.
local source <const> = debug.getinfo(1, "S").source
local lua_directory = source:match "^@(.*/)gprof/library/home%.lua$" or "./"
local c_directory

-- Directories of native modules, relative to those of Lua modules: in a checkout and
-- below a prefix.
local PAIRED <const> = { "../build/", "../../../lib/lua/5.4/" }

-- Finds the directory of the native modules. Installers may put them anywhere in
-- package.cpath. Beside the gprof.lua of a checkout is a link to lua/gprof, for scripts
-- whose package.path has the checkout, and whose first module of ours is not `gprof`.
local function find_c_directory()
  if exists(lua_directory .. "lua/gprof/library/home.lua") then
    lua_directory = lua_directory .. "lua/"
  end
  for _, path in ipairs(PAIRED) do
    local directory = lua_directory .. path
    if exists(directory .. "gprof/core.so") then return directory end
  end
  for directory in (";" .. package.cpath):gmatch ";(/[^?;]*)%?%.so" do
    if exists(directory .. "gprof/core.so") then return directory end
  end
  return lua_directory .. PAIRED[1]
end

--- Returns the directories of the library.
-- @treturn string that of the Lua modules; ends in "/"
-- @treturn string that of the native modules; ends in "/"
function home.directories()
  c_directory = c_directory or find_c_directory()
  return lua_directory, c_directory
end

--- Returns the path that a native module has if it is installed.
-- @tparam string name such as "gprof.core"
-- @treturn string
function home.native_path(name)
  local _, directory = home.directories()
  return ("%s%s.so"):format(directory, (name:gsub("%.", "/")))
end

-- Searching -----------------------------------------------------------------------------

local UNLOADABLE <const> = "error loading module '%s' from file '%s':\n\t%s"

local function load_native(name)
  local path = home.native_path(name)
  if not exists(path) then return nil end
  local loader, problem = package.loadlib(path, "luaopen_" .. name:gsub("%.", "_"))
  if not loader then
    error(UNLOADABLE:format(name, path, problem), 0)
  end
  return loader, path
end

-- Returns the path of a module's source, if there is one. The name of a report must not
-- add patterns to the absolute ones of package.path.
local function source_path(name)
  local path = name == "gprof" and "gprof/init.lua" or name:gsub("%.", "/") .. ".lua"
  path = lua_directory .. path
  if exists(path) then return path end
  if not name:find "^gprof%.report%.[^;]+$" then return nil end
  return package.searchpath(name, ((";" .. package.path):gsub(";[^/;][^;]*", "")))
end

local function load_source(name)
  local path = source_path(name)
  if not path then return nil end
  local loader, problem = loadfile(path)
  if not loader then
    error(UNLOADABLE:format(name, path, problem), 0)
  end
  return loader, path
end

-- The searcher. Raises an error for a module of ours that is not there, so that `require`
-- looks nowhere else.
local function search(name)
  if not is_ours(name) then return nil end
  local loader, path = package.preload[name], ":preload:"
  if not loader then loader, path = load_native(name) end
  if not loader then loader, path = load_source(name) end
  if loader then return loader, path end
  path = home.native_path(name)
  error(("module '%s' not found:\n\tno file '%s'"):format(name, path), 0)
end

-- What `home` has put into package.searchers.
local searchers <const> = {}

local function add_searcher(searcher)
  searchers[searcher] = true
  table.insert(package.searchers, 1, searcher)
end

--- Removes the searchers and what they found, also from package.loaded. A program that
-- runs afterwards in the same state may have a library of its own.
function home.leave()
  for i = #package.searchers, 1, -1 do
    if searchers[package.searchers[i]] then table.remove(package.searchers, i) end
  end
  for name in pairs(package.loaded) do
    if is_ours(name) then package.loaded[name] = nil end
  end
end

-- Returns the absolute path of a directory; the same path if there is no such directory.
local function absolute(path, core)
  local found = core.real_path(path)
  return found and found .. "/" or path
end

local has_bytecode, is_in_use = false, false

--- Uses the bytecode of the modules. Only the first call that finds it has an effect.
-- @tparam function open_bundle of a native module
function home.use_bytecode(open_bundle)
  local lua, c = home.directories()
  local bundle = not has_bytecode and open_bundle(c .. "gprof/modules.bundle", lua)
  if not bundle then return end
  add_searcher(bundle)
  has_bytecode = true
end

--- Uses the core: for absolute paths, and for the bytecode of the modules. Only the first
-- call with a core has an effect.
-- @tparam ?table core the module `gprof.core`; nil if it cannot be loaded
-- @tparam[opt] string directory of the native modules, if it is known
-- @tparam[optchain] userdata bundle the bytecode, opened with that directory
function home.use(core, directory, bundle)
  c_directory = directory or c_directory
  if not core or is_in_use then return end
  is_in_use = true
  local lua, c = home.directories()
  if not (is_absolute(lua) and is_absolute(c)) then
    lua_directory, c_directory = absolute(lua, core), absolute(c, core)
  end
  home.use_bytecode(bundle and function() return bundle end or core.open_bundle)
end

add_searcher(search)
package.loaded["gprof.library.home"] = home  -- this file may also be run by `dofile`

return home
