-- Runs the program under test.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local program = {}

--- The checkout: the folder above spec/.
program.root = assert(io.popen("pwd")):read("l")

--- The words that start an interpreter: another one can be chosen by GPROF_LUA, to run all specs
-- over a core with sanitizers.
program.interpreter = {}
for word in (os.getenv "GPROF_LUA" or "lua5.4"):gmatch("%S+") do
  table.insert(program.interpreter, word)
end

--- Runs `lua5.4 gprof.lua` with arguments.
-- @param arguments list of strings
-- @param options as of shell.run
-- @return the result of shell.run
function program.run(arguments, options)
  local argv = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  argv[#argv + 1] = program.root .. "/gprof.lua"
  return shell.run(table.move(arguments, 1, #arguments, #argv + 1, argv), options)
end

return program
