-- Runs the program on a pseudo-terminal, with script(1) of util-linux.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local pty = {}

--- Returns a message that names what is missing; nil if script(1) works.
-- @treturn string|nil
function pty.lack()
  if shell.run({ "script", "-qec", "echo here", "/dev/null" }).stdout:find("here", 1, true) then return nil end
  return "terminals: needs script of util-linux, and a pseudo-terminal"
end

--- Runs the program.
-- @tparam {string,...} words arguments of `gprof.lua`
-- @tparam[opt] table env variables (`false` unsets one). By default TERM, NO_COLOR, COLUMNS, LC_ALL and GPROF_PAGER
--   describe a terminal with UTF-8, but without colours and width
-- @tparam[opt] integer columns the width of the terminal itself
-- @treturn table `stdout`, all output, with "\n" line ends; `status`
function pty.run(words, env, columns)
  local all = { TERM = "xterm", NO_COLOR = false, COLUMNS = false, LC_ALL = "C.UTF-8", GPROF_PAGER = false,
    LESS = false }
  for name, value in pairs(env or {}) do all[name] = value end
  local line = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  line[#line + 1] = program.root .. "/gprof.lua"
  line = shell.join(table.move(words, 1, #words, #line + 1, line))
  if columns then line = ("stty cols %d; "):format(columns) .. line end
  local result = shell.run({ "script", "-qec", line, "/dev/null" }, { env = all, timeout = true })
  result.stdout = result.stdout:gsub("\r+\n", "\n")
  return result
end

return pty
