--- A stream of output of which no failure goes unnoticed.
--
-- @module gprof.output
-- SPDX-License-Identifier: GPL-3.0-or-later

local output = {}

local BUFFER = 1 << 16  -- bytes
local BROKEN_PIPE = 32  -- EPIPE

-- A reader that went away is no error to talk about: it had enough.
local function check(done, message, code)
  if done then return end
  error({ message = "standard output: " .. message, quiet = code == BROKEN_PIPE }, 0)
end

--- Prepares a file for writing.
-- @tparam file file
-- @treturn function `write(...)`: writes strings; a failure is an error, a table
--   with the field `message`, and `quiet` if nobody reads any more
-- @treturn function `finish()`: writes what is still buffered, with the same errors
function output.open(file)
  file:setvbuf("full", BUFFER)
  local function write(...)
    check(file:write(...))
  end
  local function finish()
    check(file:flush())
  end
  return write, finish
end

return output
