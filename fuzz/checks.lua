-- Helpers of targets in Lua: choices from an input, and checks of error messages.
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = {}

--- Returns a function that makes choices from a part of an input, one byte each.
-- @tparam string bytes
-- @treturn function `choose(list)` returns an element, `choose(n)` an integer from 0 to n - 1. When all bytes are used,
--   `choose` returns the first element or 0.
function checks.chooser(bytes)
  local at = 0
  return function(from)
    at = at + 1
    local byte = bytes:byte(at) or 0
    if type(from) == "table" then
      return from[byte % #from + 1]
    end
    return byte % from
  end
end

--- Checks that an error message is one line, and neither empty nor very long.
-- @param message
-- @tparam[opt] string path the prefix that it must have
function checks.message(message, path)
  assert(type(message) == "string" and #message > 0 and #message < 4096, "no message")
  assert(not message:find "[\n\r]", "several lines")
  assert(not path or message:sub(1, #path + 2) == path .. ": ", message)
end

--- Calls a function, which may fail only because of a bad argument.
-- @treturn[1] boolean true
-- @return[1] the results
-- @treturn[2] boolean false after a bad argument
function checks.misused(f, ...)
  local results = table.pack(pcall(f, ...))
  if not results[1] then
    local message = results[2]
    assert(type(message) == "string" and message:find "bad argument", message)
    return false
  end
  return table.unpack(results, 1, results.n)
end

return checks
