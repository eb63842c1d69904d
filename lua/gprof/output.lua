--- Streams of output.
--
-- A stream is what reports write to. `stream(text)` writes text as it is;
-- `stream(format, value...)` sets values into columns: %d, %f, %s with width and
-- precision as in string.format, and %2$d for the second value; `stream:each(names,
-- formats, iteration)` does so for each row of an iteration (see csrc/lua_stream.c);
-- `stream:flush()` hands on what was gathered. `stream:finish()`, or the end of a block
-- that has the stream in a variable to be closed, is the last of it: writing to it after
-- that is an error.
--
-- @module gprof.output
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local output = {}

local BROKEN_PIPE = 32  -- EPIPE

-- A reader that went away is no error to talk about: it had enough.
local function check(name, done, message, code)
  if done then return end
  error({ message = name .. ": " .. message, quiet = code == BROKEN_PIPE }, 0)
end

--- A stream into a file.
-- @tparam file file
-- @tparam[opt="standard output"] string name what messages call it
-- @treturn stream that has to be flushed in the end. A failure is an error, a table
--   with the field `message`, and `quiet` if nobody reads any more.
function output.into(file, name)
  file:setvbuf("no")  -- pieces are large
  name = name or "standard output"
  return core.stream(function(text)
    check(name, file:write(text))
  end)
end

local function need(value, message)
  return value or error({ message = message }, 0)
end

--- Writes a new file, which takes the place of what had its name when it is complete. If
-- anything fails there never was one.
-- @tparam string path
-- @tparam function fill is called with a stream
-- @raise a table with the field `message`
function output.new_file(path, fill)
  local file <close> = need(core.writer(path))
  local stream = core.stream(function(text) need(file:write(text)) end)
  fill(stream)
  stream:flush()
  need(file:finish())
end

--- Writes data into a new file, likewise.
-- @tparam string path
-- @tparam data data
-- @tparam[opt] string format as for `data:write`
-- @raise a table with the field `message`
function output.new_profile(path, data, format)
  need(data:write(path, format))
end

--- A stream that hands text on to a function, in pieces of any size.
-- @tparam function write takes strings
-- @treturn stream
output.through = core.stream

return output
