--- Streams of output.
--
-- A stream is what reports write to. `stream(text)` writes text as it is;
-- `stream(format, value...)` sets values into columns: %d, %f, %s with width and
-- precision as in string.format, and %2$d for the second value; `stream:each(names,
-- formats, iteration)` does so for each row of an iteration (see csrc/lua/stream.c);
-- `stream:flush()` hands on what was gathered. `stream:finish()`, or the end of a block
-- that has the stream in a variable to be closed, is the last of it: writing to it after
-- that is an error.
--
-- @module gprof.output
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local need <const> = require "gprof.library.failure".need

local output = {}

local BROKEN_PIPE = 32  -- EPIPE

-- A reader that went away is no error to talk about: it had enough.
local function check(name, done, message, code)
  if done then return end
  error({ message = name .. ": " .. message, quiet = code == BROKEN_PIPE }, 0)
end

--- What a file is written by: as it is, or harmless if it is a terminal.
-- @tparam file file
-- @tparam function is_colored whether sequences for colours are meant to be there
-- @treturn function of a piece of text, and without one when there are no more; returns
--   what `file:write` returns
function output.writer(file, is_colored)
  if not core.is_terminal(file) then
    return function(text) return file:write(text or "") end
  end
  local shown = require "gprof.format.terminal".filter(is_colored)
  return function(text) return file:write(shown(text)) end
end

--- A stream into a file.
-- @tparam file file
-- @tparam function is_colored whether sequences for colours are meant to be there
-- @tparam[opt="standard output"] string name what messages call the file
-- @treturn stream A failure is an error, a table with the field `message`, and `quiet` if
--   nobody reads any more.
-- @treturn function to be called in the end: flushes it
function output.into(file, is_colored, name)
  file:setvbuf("no")  -- pieces are large
  name = name or "standard output"
  local write = output.writer(file, is_colored)
  local stream = core.stream(function(text) check(name, write(text)) end)
  return stream, function()
    stream:flush()
    check(name, write())
  end
end

local function fill_writer(writer, message, fill)
  local file <close> = need(writer, message)
  local stream = core.stream(function(text) need(file:write(text)) end)
  fill(stream)
  stream:flush()
  need(file:finish())
end

--- Writes a file of a name that the user has chosen, and with that what a link leads to,
-- or a device. It takes the place of what was there when it is complete; if anything
-- fails there never was one.
-- @tparam string path
-- @tparam function fill is called with a stream
-- @raise a table with the field `message`
function output.new_file(path, fill)
  local writer, message = core.writer(path, true)
  fill_writer(writer, message, fill)
end

--- Writes a file whose name comes from elsewhere, likewise, but takes the place of a
-- link, wherever that leads; what else is no regular file is refused.
-- @tparam string path
-- @tparam function fill is called with a stream
-- @raise a table with the field `message`
function output.new_file_here(path, fill)
  local writer, message = core.writer(path, false)
  fill_writer(writer, message, fill)
end

--- Writes data into a file that the user has chosen, likewise.
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
