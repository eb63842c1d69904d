--- Failures that users are told about: errors that are tables with the field `message`.
--
-- @internal gprof.library.failure
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = {}

--- Raises a message.
-- @tparam string format as for `string.format`
-- @param ... its values
-- @raise a table with the field `message`
function failure.raise(format, ...)
  error({ message = format:format(...) }, 0)
end

--- Returns its arguments, like `assert`; raises the message if the value is nil.
-- @param value
-- @tparam[opt] string message
-- @param ... more values
-- @return all of them
-- @raise a table with the field `message`
function failure.need(value, message, ...)
  if value == nil then error({ message = message }, 0) end
  return value, message, ...
end

return failure
