--- A pager: a program that shows a report on the terminal a page at a time, in which one
-- can search.
--
-- The program is started when there is something to be read. Whoever leaves it early has
-- seen enough: the rest is not written, and everything else goes on, as what a run is to
-- tell by its status does not depend on how far somebody reads.
--
-- @internal gprof.cli.pager
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local terminal = require "gprof.format.terminal"

local pager = {}

-- A pager that is not there is one that lets everything pass. The first word of a command
-- is looked for, less variables that are set for it; one that is more than a word has to
-- speak for itself.
local function line_of(command)
  local word, at = command:match "^%s*(%S+)()"
  while word and word:find "^[%a_][%w_]*=" do
    word, at = command:match("^%s*(%S+)()", at)
  end
  word = word and word:match "^[%w_./+-]+$"
  return (word and ("command -v %s >/dev/null 2>&1 || exec cat\n"):format(word) or "") ..
    ': "${LESS=FRX}"\nexport LESS\n' .. command
end

-- Starts it, with standard output going there, that of others in this process, too.
-- Returns what is called in the end: it waits until the user has left. Without a process
-- for it the terminal gets everything.
local function start(command)
  local process = io.popen(line_of(command), "w")
  if not process then return function() end end
  core.redirect(io.stdout, process)
  core.leave_to_reader()
  return function()
    local nowhere <close> = assert(io.open("/dev/null", "w"))
    core.redirect(io.stdout, nowhere)
    process:close()
  end
end

--- A stream into a pager.
-- @tparam string command for the shell
-- @tparam function is_colored whether sequences for colours are meant to be there
-- @treturn stream
-- @treturn function to be called in the end: writes what is left, and waits
-- @treturn table to be closed in any case: waits, if that was not done
function pager.into(command, is_colored)
  local shown, stop = terminal.filter(is_colored), nil
  local function put(text)
    if text == "" then return end
    stop = stop or start(command)
    io.stdout:write(text)
  end
  io.stdout:setvbuf "no"  -- pieces are large
  local stream = core.stream(function(text) put(shown(text)) end)
  local function wait()
    local last = stop
    stop = function() end
    if last then last() end
  end
  local function finish()
    stream:flush()
    put(shown())
    wait()
  end
  return stream, finish, setmetatable({}, { __close = wait })
end

return pager
