--- Output on a terminal, directly or through a pager.
--
-- The pager is started by the first output. If the user quits it early, the rest of the
-- output is discarded, and the run continues: its exit status does not depend on how far
-- the user read.
--
-- @internal gprof.cli.pager
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local output = require "gprof.output"
local terminal = require "gprof.format.terminal"

local pager = {}

-- Returns the shell script that runs a pager. If the pager is missing, the script runs
-- `cat`. This is checked only if the first word, after any assignments, needs no quoting.
local function shell_line(command)
  local word, at = command:match "^%s*(%S+)()"
  while word and word:find "^[%a_][%w_]*=" do
    word, at = command:match("^%s*(%S+)()", at)
  end
  word = word and word:match "^[%w_./+-]+$"
  return (word and ("command -v %s >/dev/null 2>&1 || exec cat\n"):format(word) or "") ..
    ': "${LESS=FRX}"\nexport LESS\n' .. command
end

-- Starts a pager, and redirects the standard output of the whole process to it. Returns
-- a function that waits until the user quits. If the pager cannot be started, output goes
-- to the terminal.
local function start(command)
  local process = io.popen(shell_line(command), "w")
  if not process then return function() end end
  core.redirect(io.stdout, process)
  core.ignore_pager_signals()
  return function()
    local nowhere <close> = assert(io.open("/dev/null", "w"))
    core.redirect(io.stdout, nowhere)
    process:close()
  end
end

-- Returns a stream that writes to a pager; a function that flushes it and waits for the
-- user; and a to-be-closed value, which waits if that function was not called.
local function page(command, is_colored)
  local shown, stop = terminal.filter(is_colored), nil
  local function write(text)
    if text == "" then return end
    stop = stop or start(command)
    io.stdout:write(text)
  end
  io.stdout:setvbuf "no"  -- pieces are large
  local stream = core.stream(function(text) write(shown(text)) end)
  local function wait()
    local last = stop
    stop = function() end
    if last then last() end
  end
  local function finish()
    stream:flush()
    write(shown())
    wait()
  end
  return stream, finish, setmetatable({}, { __close = wait })
end

-- Returns the command of the pager; nil for none.
local function command_of(settings)
  local function named(variable)
    local command = os.getenv(variable)
    return command and command:find "%S" and command
  end
  return named "GPROF_PAGER" or settings.pager and (named "PAGER" or "less") or nil
end

--- Opens standard output, which must be a terminal, directly or through a pager. The
-- pager is GPROF_PAGER or, with --pager, PAGER or "less".
-- @tparam table settings `pager`; the function sets the field `terminal_width`
-- @tparam function is_colored returns whether escape sequences for colours may pass
-- @treturn stream
-- @treturn function to be called at the end: flushes the stream, and waits for the pager
-- @treturn table|nil to be closed in any case: waits for the pager
function pager.open(settings, is_colored)
  settings.terminal_width = core.terminal_width(io.stdout)
  local command = command_of(settings)
  if command then return page(command, is_colored) end
  return output.into(io.stdout, is_colored)
end

return pager
