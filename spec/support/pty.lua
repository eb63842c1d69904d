-- Runs the program on a terminal of its own, which script of util-linux makes.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local pty = {}

--- What is missing, for a message; nil if nothing is.
-- @treturn string|nil
function pty.lack()
  if shell.run({ "script", "-qec", "echo here", "/dev/null" }).stdout:find("here", 1, true) then return nil end
  return "what terminals are sent: script of util-linux, or a terminal for it, is not here"
end

--- Runs the program.
-- @tparam {string,...} words behind `gprof.lua`
-- @tparam[opt] table env variables (`false` unsets one), besides TERM, NO_COLOR, COLUMNS, LC_ALL and GPROF_PAGER,
--   which are of a terminal without colours and width that takes UTF-8
-- @tparam[opt] integer columns the width that the terminal itself has
-- @treturn table `stdout`, all that it was sent, with newlines at the ends of lines; `status`
function pty.run(words, env, columns)
  local all = { TERM = "xterm", NO_COLOR = false, COLUMNS = false, LC_ALL = "C.UTF-8", GPROF_PAGER = false,
    LESS = false }
  for name, value in pairs(env or {}) do all[name] = value end
  local line = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  line[#line + 1] = program.root .. "/gprof.lua"
  line = shell.join(table.move(words, 1, #words, #line + 1, line))
  if columns then line = ("stty cols %d; "):format(columns) .. line end
  local result = shell.run({ "script", "-qec", line, "/dev/null" }, { env = all, timeout = 60 })
  result.stdout = result.stdout:gsub("\r+\n", "\n")
  return result
end

return pty
