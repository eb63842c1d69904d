--- Errors for users: tables with the field `message`, which the program prints.
--
-- @internal gprof.library.failure
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = {}

--- Raises an error for users.
-- @tparam string format as for `string.format`
-- @param ... values to format
-- @raise a table with the field `message`
function failure.raise(format, ...)
  error({ message = format:format(...) }, 0)
end

--- Ends the program with status 1, without a message: the caller has printed one.
-- @raise a table with the field `quiet`
function failure.stop()
  error({ quiet = true }, 0)
end

--- Returns the message for an error that is none of the user's: a bug of this program.
-- @param problem the error value
-- @treturn string one line that says where the error was raised, and asks for a report
function failure.of_bug(problem)
  local text = tostring(problem):gsub("%s*\n%s*", " ")
  text = text:gsub("^.-/(gprof/[%w_/]+%.lua:)", "%1")
  return ("internal error: %s: please report it, with the command line"):format(text)
end

--- Returns its arguments, or raises the message if the value is nil. Like `assert`, but
-- false is accepted.
-- @param value
-- @tparam[opt] string message
-- @param ... more values
-- @return all arguments
-- @raise a table with the field `message`
function failure.need(value, message, ...)
  if value == nil then error({ message = message }, 0) end
  return value, message, ...
end

return failure
