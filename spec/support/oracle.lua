-- Runs GNU gprof, to compare its reports with ours. No other file runs it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local oracle = {}

local VERSION <const> = "GNU gprof (GNU Binutils for Debian) 2.40"
-- GNU gprof is called by its bare name, because its messages repeat the name. With this PATH, no other gprof is found.
local PROGRAM <const>, PATH <const> = "gprof", "/usr/bin:/bin"

local function examine()
  local version = shell.run({ PROGRAM, "--version" }, { env = { LC_ALL = "C", PATH = PATH } })
  local first = version.stdout:match("^[^\n]*")
  if version.status ~= 0 or first ~= VERSION then
    return false, ("'%s' wanted, '%s' found"):format(VERSION, first)
  end
  -- binutils-multiarch replaces this gprof with one that supports more object formats.
  local package = shell.run({ "dpkg-query", "-W", "-f", "${db:Status-Status}", "binutils-multiarch" })
  if package.status == 0 and package.stdout == "installed" then
    return false, "binutils-multiarch has put another gprof in its place"
  end
  return true
end

--- Tells whether the GNU gprof to compare with is installed: the one in Debian's binutils 2.40, not the one in
-- binutils-multiarch.
-- @treturn boolean
-- @treturn ?string the reason if not
function oracle.available()
  local state = shell.state()
  if not state.oracle then
    state.oracle = table.pack(examine())
  end
  return table.unpack(state.oracle, 1, state.oracle.n)
end

--- Tells whether GNU gprof for another machine is installed in the same version.
-- @tparam string name such as "aarch64-linux-gnu-gprof"
-- @treturn boolean
function oracle.foreign(name)
  local version = shell.run({ name, "--version" }, { env = { LC_ALL = "C", PATH = PATH } })
  return version.status == 0 and version.stdout:find "^GNU gprof [^\n]* 2%.40" ~= nil
end

--- Runs GNU gprof in the C locale. New memory is set to zero, since GNU gprof reads some uninitialized memory.
-- @tparam {string,...} args its arguments
-- @tparam[opt] table options as for `shell.run`; `env` adds to the environment; `oracle` is the command of a GNU gprof
--   for another machine
-- @treturn table as `shell.run` returns it
function oracle.run(args, options)
  options = options or {}
  local env = { LC_ALL = "C", MALLOC_PERTURB_ = "255", GPROF_PATH = false, PATH = PATH }
  for name, value in pairs(options.env or {}) do
    env[name] = value
  end
  return shell.run({ options.oracle or PROGRAM, table.unpack(args) },
    { env = env, cwd = options.cwd, stdin = options.stdin, timeout = true })
end

return oracle
