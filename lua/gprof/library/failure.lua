--- Errors for users: tables with the field `message`, which the program prints.
--
-- @internal gprof.library.failure
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = {}

-- Scripts that do not catch an error see its message.
local printable <const> = { __tostring = function(problem) return problem.message end }

local function fail(message)
  error(setmetatable({ message = message }, printable), 0)
end

--- Raises an error for users.
-- @tparam string format as for `string.format`
-- @param ... values to format
-- @raise a table with the field `message`
function failure.raise(format, ...)
  fail(format:format(...))
end

--- Ends the program with status 1, without a message: the caller has printed one.
-- @raise a table with the field `quiet`
function failure.stop()
  error({ quiet = true }, 0)
end

-- Returns the place in Lua code that runs, as "FILE:LINE: ". Errors of functions that C
-- called have none.
local function running_place()
  local level = 2
  while true do
    local at = debug.getinfo(level, "Sl")
    if not at then return "" end
    if at.currentline > 0 and not at.source:find "gprof/library/failure%.lua$" then
      return ("%s:%d: "):format(at.source:gsub("^@", ""), at.currentline)
    end
    level = level + 1
  end
end

--- Describes an unexpected error: a bug in this program. As a message handler of
-- `xpcall`, also finds where it was raised.
-- @param problem the error value
-- @treturn table `message`, one line that names the place and asks for a report; `trace`,
--   the stack
function failure.of_bug(problem)
  local text = tostring(problem):gsub("%s*\n%s*", " ")
  if not text:find "^[^ ]+:%d+: " then text = running_place() .. text end
  text = text:gsub("^[^ ]-/(gprof/[%w_/]+%.lua:)", "%1")
  return { message = ("internal error: %s: please report it, with the command line")
    :format(text), trace = debug.traceback(nil, 2) }
end

--- Returns its arguments, or raises the message if the value is nil. Like `assert`, but
-- false is accepted.
-- @param value
-- @tparam[opt] string message
-- @param ... more values
-- @return all arguments
-- @raise a table with the field `message`
function failure.need(value, message, ...)
  if value == nil then fail(message) end
  return value, message, ...
end

return failure
