--- A stream of output of which no failure goes unnoticed.
--
-- @module gprof.output
-- SPDX-License-Identifier: GPL-3.0-or-later

local output = {}

local PIECES = 256  -- strings that are written together
local BROKEN_PIPE = 32  -- EPIPE

-- A reader that went away is no error to talk about: it had enough.
local function check(done, message, code)
  if done then return end
  error({ message = "standard output: " .. message, quiet = code == BROKEN_PIPE }, 0)
end

--- Prepares a file for writing.
-- @tparam file file
-- @treturn function `write(text)`: a failure is an error, a table with the field
--   `message`, and `quiet` if nobody reads any more
-- @treturn function `finish()`: writes what is still buffered, with the same errors
function output.open(file)
  local pieces, count = {}, 0
  local function flush()
    local text = table.concat(pieces, "", 1, count)
    count = 0
    check(file:write(text))
  end
  local function write(text)
    count = count + 1
    pieces[count] = text
    if count == PIECES then flush() end
  end
  local function finish()
    flush()
    check(file:flush())
  end
  return write, finish
end

return output
