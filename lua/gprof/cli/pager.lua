--- Output on a terminal, directly or through a pager.
--
-- The pager is started by the first output. Messages also go through the pager, because
-- it may cover the screen. If the user quits the pager early, the rest of the output is
-- discarded, and the run continues: its exit status does not depend on how far the user
-- read. A failure of the pager is an error, because the report may not have been shown.
--
-- @internal gprof.cli.pager
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local output = require "gprof.output"
local terminal = require "gprof.format.terminal"
local wording = require "gprof.format.wording"

local pager = {}

-- The shell's exit statuses for a command that it cannot run.
local NOT_EXECUTABLE <const>, NOT_FOUND <const> = 126, 127

-- Runs a pager, or `cat` if the pager cannot be run; neither is found in a relative
-- directory of PATH. A pager that is interrupted or quit has not failed: the statuses 130
-- and 141 stand for SIGINT and SIGPIPE.
local SCRIPT <const> = [[
PATH=%s
trap interrupted=1 INT
: "${LESS=FRX}"
export LESS
(eval %s)
status=$?
case $status in
126|127) cat;;
130|141) exit 0;;
esac
[ "$interrupted" ] || exit $status
]]

-- Waits until a pager ends. Returns its exit status, or nil if a signal ended it.
local function wait_for(process)
  local nowhere <close> = assert(io.open("/dev/null", "w"))
  core.redirect(io.stdout, nowhere)
  local done, how, code = process:close()
  if done then return 0 end
  return how == "exit" and code or nil
end

-- Starts a pager, and redirects the standard output of the whole process to it. Returns
-- a function that waits until the user quits, and returns the exit status. If no process
-- can be started, output goes to the terminal.
local function start(command)
  local program_files = require "gprof.library.files.program_files"
  local path = table.concat(program_files.directories(), ":")
  if path == "" then path = "/" end  -- an empty PATH is the current directory
  local script = SCRIPT:format(wording.shell_word(path), wording.shell_word(command))
  local process = io.popen(script, "w")
  if not process then return function() return NOT_EXECUTABLE end end
  core.redirect(io.stdout, process)
  core.ignore_pager_signals()
  return function() return wait_for(process) end
end

-- Raises an error if a pager failed.
local function check(status, command, variable)
  if status == 0 then return end
  if status == NOT_EXECUTABLE or status == NOT_FOUND then
    failure.raise("%s: cannot run the pager '%s'", variable, command)
  end
  failure.raise("%s: the pager '%s' failed%s: output may not have been shown", variable,
    command, status and (" (exit status %d)"):format(status) or "")
end

-- Returns a stream that writes to a pager; a function that flushes the stream, waits for
-- the user, and fails if the pager failed; and a to-be-closed value, which waits if that
-- function was not called.
local function page(command, variable, is_colored)
  local shown, held, stop = terminal.filter(is_colored), {}, nil
  terminal.divert(function(message) held[#held + 1] = message end)
  io.stdout:setvbuf "no"  -- pieces are large
  local function write(text)
    if text == "" then return end
    if not stop then
      stop = start(command)
      terminal.divert(function(message) io.stdout:write(message) end)
      io.stdout:write(table.concat(held))
    end
    io.stdout:write(text)
  end
  local function wait()
    terminal.divert(nil)
    if stop then return stop() end
    io.stderr:write(table.concat(held))
    return 0
  end
  local is_waiting = true
  local stream = core.stream(function(text) write(shown(text)) end)
  local function finish()
    stream:flush()
    write(shown())
    is_waiting = false
    check(wait(), command, variable)
  end
  local function close() if is_waiting then wait() end end
  return stream, finish, setmetatable({}, { __close = close })
end

-- Returns the command of the pager, nil for none; and what selected it, for messages.
local function command_of(settings)
  local variables = settings.pager and { "GPROF_PAGER", "PAGER" } or { "GPROF_PAGER" }
  for _, variable in ipairs(variables) do
    local command = os.getenv(variable)
    if command and command:find "%S" then return command, variable end
  end
  if settings.pager then return "less", "--pager" end
end

--- Opens standard output, which must be a terminal, directly or through a pager. The
-- pager is GPROF_PAGER or, with --pager, PAGER or "less".
-- @tparam table settings `pager`; the function sets the field `terminal_width`
-- @tparam function is_colored returns whether escape sequences for colours may pass
-- @treturn stream
-- @treturn function to be called at the end: flushes the stream, waits for the pager, and
--   raises an error if the pager failed
-- @treturn table|nil to be closed in any case: waits for the pager
function pager.open(settings, is_colored)
  settings.terminal_width = core.terminal_width(io.stdout)
  local command, variable = command_of(settings)
  if command then return page(command, variable, is_colored) end
  return output.into(io.stdout, is_colored)
end

return pager
