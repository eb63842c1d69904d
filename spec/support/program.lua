-- Runs the program under test.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local program = {}

--- The root of the checkout, where specs are run.
program.root = assert(io.popen("pwd")):read("l")

--- The interpreter's command. GPROF_LUA selects another one, such as the sanitized interpreter.
program.interpreter = {}
for word in (os.getenv "GPROF_LUA" or "lua5.4"):gmatch("%S+") do
  table.insert(program.interpreter, word)
end

--- Whether that is spec/collected.sh: each allocation then starts a full collection, which is slow.
program.is_collected = program.interpreter[1]:find "/collected%.sh$" ~= nil

--- Runs `lua5.4 gprof.lua` with arguments.
-- @tparam {string,...} arguments
-- @tparam[opt] table options as for `shell.run`
-- @treturn table as `shell.run` returns it
function program.run(arguments, options)
  local argv = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  argv[#argv + 1] = program.root .. "/gprof.lua"
  return shell.run(table.move(arguments, 1, #arguments, #argv + 1, argv), options)
end

--- Makes a target of the checkout. Others may need the same one at the same time: without the lock, they would load a
-- file that is being linked.
-- @tparam string target
function program.make(target)
  shell.check({ "flock", "build/make.lock", "make", "-s", target }, { cwd = program.root })
end

return program
