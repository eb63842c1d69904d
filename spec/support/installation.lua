-- Installs the checkout into scratch trees, with LuaRocks and with make.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local installation = {}

--- The environment variables to unset for the interpreter.
local unset <const> = { LUA_INIT = false, LUA_INIT_5_4 = false, LUA_PATH = false, LUA_PATH_5_4 = false,
  LUA_CPATH = false, LUA_CPATH_5_4 = false }

-- Returns an environment for `shell.run` that sets the given variables, and unsets the variables in `unset`.
local function environment(variables)
  local env = {}
  for _, list in ipairs { unset, variables } do
    for name, value in pairs(list) do
      env[name] = value
    end
  end
  return env
end

--- Describes an installation below a directory.
-- @tparam string root
-- @treturn table `root`; `program`, its path; `env`, an environment in which the program must find the library from its
--   own path; `library`, an environment in which scripts find the library there and nowhere else
function installation.tree(root)
  local lua = root .. "/share/lua/5.4/"
  return { root = root, program = root .. "/bin/gprof.lua",
    env = environment { PATH = root .. "/bin:" .. os.getenv "PATH" },
    library = environment { LUA_PATH = lua .. "?.lua;" .. lua .. "?/init.lua",
      LUA_CPATH = root .. "/lib/lua/5.4/?.so" } }
end

--- Tells whether LuaRocks is installed.
-- @treturn boolean
function installation.has_luarocks()
  return shell.run({ "luarocks", "--version" }).status == 0
end

--- Runs LuaRocks, which must succeed, without servers and without the user's configuration.
-- @tparam {string,...} arguments
-- @tparam[opt] string dir working directory
-- @treturn table as `shell.run` returns it
function installation.luarocks(arguments, dir)
  local argv = { "luarocks", "--lua-version", "5.4", "--only-server", "/nowhere" }
  return shell.check(table.move(arguments, 1, #arguments, #argv + 1, argv),
    { cwd = dir, env = environment { HOME = shell.tmpdir "home" } })
end

--- Installs with LuaRocks.
-- @tparam {string,...} arguments of LuaRocks, such as "make", "x.rockspec"
-- @tparam[opt] string dir working directory
-- @treturn table as for `tree`
function installation.rock(arguments, dir)
  local root = shell.tmpdir "rocks"
  local argv = { "--tree", root, table.unpack(arguments) }
  installation.luarocks(table.move({ "--deps-mode", "none" }, 1, 2, #argv + 1, argv), dir)
  return installation.tree(root)
end

--- Installs the checkout with LuaRocks. The copy has the compiled objects, so that LuaRocks only installs.
-- @treturn table as for `tree`
function installation.built_rock()
  local dir = shell.tmpdir "checkout"
  shell.check({ "sh", "-c", [[
    cp -Rp $(ls | grep -v '^build$') "$1"
    mkdir "$1/build"
    cd build
    cp -Rp binutils gprof libgprof-* objects "$1/build"
  ]], "sh", dir }, { cwd = program.root })
  local tree = installation.rock({ "make", "gprof-scm-1.rockspec" }, dir)
  shell.check { "rm", "-r", dir }
  return tree
end

--- Runs make in the checkout, which must succeed.
-- @tparam {string,...} arguments
function installation.make(arguments)
  shell.check({ "make", "-s", "-C", program.root, table.unpack(arguments) })
end

--- Installs with make.
-- @treturn table as for `tree`
function installation.prefix()
  local root = shell.tmpdir "prefix"
  installation.make { "install", "PREFIX=" .. root }
  return installation.tree(root)
end

--- Lists files and directories.
-- @tparam string dir
-- @treturn {string,...} sorted paths below the directory; paths of directories end in "/"
function installation.listing(dir)
  local list = {}
  for path in shell.check({ "find", ".", "-type", "d", "-printf", "%P/\n", "-o", "-printf", "%P\n" },
      { cwd = dir }).stdout:gmatch("[^\n]+") do
    list[#list + 1] = path
  end
  table.sort(list)
  return list
end

return installation
