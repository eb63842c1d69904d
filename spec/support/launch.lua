-- Starts the program under test from a shell command or under another path, and scripts that use the library.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local launch = {}

-- Returns the command of the interpreter under test with these arguments.
local function interpreter(...)
  local words, more = table.move(program.interpreter, 1, #program.interpreter, 1, {}), { ... }
  return table.move(more, 1, #more, #words + 1, words)
end

--- Runs the program under another path.
-- @tparam string path of a link to the program or of a copy
-- @tparam {string,...} arguments
-- @tparam[opt] table options as for `shell.run`
-- @treturn table as `shell.run` returns it
function launch.copy(path, arguments, options)
  return shell.run(interpreter(path, table.unpack(arguments)), options)
end

--- Runs a shell command in which "$@" is the program with its arguments.
-- @tparam string line such as `"$@" >/dev/full`
-- @tparam {string,...} arguments
-- @tparam[opt] table options as for `shell.run`
-- @treturn table as `shell.run` returns it
function launch.line(line, arguments, options)
  local argv = { "sh", "-c", line, "sh" }
  local words = interpreter(program.root .. "/gprof.lua")
  table.move(words, 1, #words, #argv + 1, argv)
  return shell.run(table.move(arguments, 1, #arguments, #argv + 1, argv), options)
end

--- Runs a script in a new interpreter, where `require "gprof"` finds the checkout's library.
-- @tparam string text of the script
-- @tparam[opt] {string,...} arguments
-- @tparam[opt] table options as for `shell.run`; `line`, a shell command in which "$@" is the interpreter with the
--   script
-- @treturn table as `shell.run` returns it
function launch.script(text, arguments, options)
  local preamble = ("package.path = %q .. package.path "):format(program.root .. "/?.lua;")
  local path = shell.write(shell.tmpdir "script" .. "/script.lua", preamble .. text)
  local words = interpreter(path, table.unpack(arguments or {}))
  if options and options.line then
    words = table.move(words, 1, #words, 5, { "sh", "-c", options.line, "sh" })
  end
  return shell.run(words, options)
end

--- Returns a shell command that runs "$@" subject to file permissions. For root, it drops the capabilities that
-- override them.
-- @treturn string
function launch.permitted()
  local root = shell.check({ "id", "-u" }).stdout == "0\n"
  return root and [[exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"]] or [[exec "$@"]]
end

--- Returns why programs cannot run with another user's privileges, as where set-user-ID bits have no effect; nil if
-- they can.
-- @treturn ?string
function launch.lack_of_setuid()
  if shell.check({ "id", "-u" }).stdout ~= "0\n" or not shell.installed "setpriv" then
    return "needs root, to make a setuid program"
  end
  local copy = shell.tmpdir "setuid" .. "/id"
  shell.check { "sh", "-c", 'cp "$(command -v id)" "$1" && chmod 4755 "$1"', "sh", copy }
  local result = shell.run { "setpriv", "--reuid", "65534", "--clear-groups", copy, "-u" }
  return result.stdout ~= "0\n" and "needs a system where setuid programs have their privileges" or nil
end

return launch
