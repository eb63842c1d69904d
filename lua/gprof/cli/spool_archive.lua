--- Files that come out of the sandbox.
--
-- A process that can open none for writing writes them one behind the other into one that
-- is open. Who has asked for them puts them in place: as a whole, or not at all.
--
-- @internal gprof.cli.spool_archive
-- SPDX-License-Identifier: GPL-3.0-or-later

local output = require "gprof.output"

local parcel = {}

local BLOCK <const> = 65536  -- bytes that are handed on at once

-- A file is its name, how many bytes it has, and these. One that did not come to its end
-- has a number of bytes that no file has.
local NAME <const>, SIZE <const>, UNFINISHED <const> = "<s2", "<i8", -1

local function need(value, message)
  return value or error({ message = message }, 0)
end

-- Packing -------------------------------------------------------------------------------

-- Adds a file, which `fill` writes to the one that holds them all.
local function add(files, path, fill)
  need(files:write(NAME:pack(path), SIZE:pack(UNFINISHED)))
  local start = files:seek()
  fill(files)
  local stop = files:seek "end"
  files:seek("set", start - SIZE:packsize())
  need(files:write(SIZE:pack(stop - start)))
  files:seek "end"
end

--- From here on the new files of this process go into a parcel.
-- @tparam file files the parcel
function parcel.divert(files)
  files:setvbuf("no")  -- profiles do not pass through the library that has a buffer
  local function add_text(path, fill)
    add(files, path, function(file)
      local stream, finish = output.into(file, nil, "temporary file")
      fill(stream)
      finish()
    end)
  end
  output.new_file, output.new_file_here = add_text, add_text
  function output.new_profile(path, data, format)
    add(files, path, function(file)
      local done, message = data:write(file, format)
      local name = path == "-" and "standard output" or path:gsub("%%", "%%%%")
      need(done, message and message:gsub("^open file", name))
    end)
  end
end

-- Unpacking -----------------------------------------------------------------------------

-- The next name, and how many bytes there are; nil if there is no more that is whole.
local function next_file(files)
  local length = files:read(2)
  local name = length and #length == 2 and files:read((("<I2"):unpack(length)))
  local size = name and files:read(SIZE:packsize())
  size = size and #size == SIZE:packsize() and SIZE:unpack(size)
  if size and size >= 0 then return name, size end
end

--- Hands on what is in a file.
-- @tparam file file
-- @tparam function|stream write takes strings
-- @tparam[opt] integer size how many bytes at most
function parcel.copy(file, write, size)
  size = size or math.maxinteger
  while size > 0 do
    local text = file:read(math.min(BLOCK, size))
    if not text then return end
    write(text)
    size = size - #text
  end
end

--- Puts files in place. Whoever has taken the process over may have named any.
-- @tparam file files the parcel
-- @tparam function wanted how a file of that name is to be written: the function of
--   gprof.output's that does it, or nothing if that is not to be
-- @raise a table with the field `message`
function parcel.unpack(files, wanted)
  files:seek("set", 0)
  for name, size in next_file, files do
    local put = wanted(name)
    if not put then
      error({ message = name:gsub("%c", "?") .. ": is not to be written" }, 0)
    end
    put(name, function(write) parcel.copy(files, write, size) end)
  end
end

return parcel
