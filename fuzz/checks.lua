-- What targets in Lua share: choices of an input, and what holds for every failure.
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = {}

--- Takes choices out of a part of an input, byte by byte.
-- @tparam string bytes
-- @treturn function `choose(list)` gives an element; `choose(n)` an integer from 0 to n - 1; 0, or the first one, where
--   the part ends
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

--- What holds for a message: it is one line, and neither empty nor endless.
-- @param message
-- @tparam[opt] string path which it begins with
function checks.message(message, path)
  assert(type(message) == "string" and #message > 0 and #message < 4096, "no message")
  assert(not message:find "[\n\r]", "several lines")
  assert(not path or message:sub(1, #path + 2) == path .. ": ", message)
end

--- Calls a function that may raise a misuse, but no other error.
-- @treturn[1] true and the results
-- @return[2] false after a misuse
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
