-- Installs the checkout in each of the ways that there are, into scratch trees: by LuaRocks, and by make.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local installation = {}

--- The interpreter's variables, none of which is set.
local unset <const> = { LUA_INIT = false, LUA_INIT_5_4 = false, LUA_PATH = false, LUA_PATH_5_4 = false,
  LUA_CPATH = false, LUA_CPATH_5_4 = false }

-- A table of these variables, and of others.
local function environment(variables)
  local env = {}
  for _, list in ipairs { unset, variables } do
    for name, value in pairs(list) do
      env[name] = value
    end
  end
  return env
end

--- What is installed below a directory.
-- @tparam string root
-- @treturn table `root`; `program`, its path; `env`, variables of an environment in which nothing but the program's
--   own place tells where the library is; `library`, of one in which scripts find it there and nowhere else
function installation.tree(root)
  local lua = root .. "/share/lua/5.4/"
  return { root = root, program = root .. "/bin/gprof.lua",
    env = environment { PATH = root .. "/bin:" .. os.getenv "PATH" },
    library = environment { LUA_PATH = lua .. "?.lua;" .. lua .. "?/init.lua",
      LUA_CPATH = root .. "/lib/lua/5.4/?.so" } }
end

--- Tells whether there is LuaRocks.
-- @treturn boolean
function installation.has_luarocks()
  return shell.run({ "luarocks", "--version" }).status == 0
end

--- Runs LuaRocks, which must succeed. It knows of no server, and of no user.
-- @tparam {string,...} arguments
-- @tparam[opt] string dir to run it in
-- @treturn table as `shell.run` returns it
function installation.luarocks(arguments, dir)
  local argv = { "luarocks", "--lua-version", "5.4", "--only-server", "/nowhere" }
  return shell.check(table.move(arguments, 1, #arguments, #argv + 1, argv),
    { cwd = dir, env = environment { HOME = shell.tmpdir "home" } })
end

--- Installs by LuaRocks.
-- @tparam {string,...} arguments what is to be installed how: "make", "x.rockspec"
-- @tparam[opt] string dir to run it in
-- @treturn table as of `tree`
function installation.rock(arguments, dir)
  local root = shell.tmpdir "rocks"
  local argv = { "--tree", root, table.unpack(arguments) }
  installation.luarocks(table.move({ "--deps-mode", "none" }, 1, 2, #argv + 1, argv), dir)
  return installation.tree(root)
end

--- Runs make in the checkout, which must succeed.
-- @tparam {string,...} arguments
function installation.make(arguments)
  shell.check({ "make", "-s", "-C", program.root, table.unpack(arguments) })
end

--- Installs by make.
-- @treturn table as of `tree`
function installation.prefix()
  local root = shell.tmpdir "prefix"
  installation.make { "install", "PREFIX=" .. root }
  return installation.tree(root)
end

--- Lists files and directories.
-- @tparam string dir
-- @treturn {string,...} their paths below the directory, in order; those of directories end with "/"
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
