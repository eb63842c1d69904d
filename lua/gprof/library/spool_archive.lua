--- Archives of the files that come out of the sandbox.
--
-- A process that cannot open files for writing appends them to one open file. The process
-- that started it extracts them: each as a whole, or not at all.
--
-- @internal gprof.library.spool_archive
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = require "gprof.library.failure"

local spool_archive = {}

local BLOCK <const> = 65536  -- bytes copied at once

-- An entry is its name, its size in bytes, and its bytes. The size of one that was not
-- completed is invalid.
local NAME <const>, SIZE <const>, UNFINISHED <const> = "<s2", "<i8", -1

--- Appends a file.
-- @tparam file archive
-- @tparam string path
-- @tparam function fill writes the file's bytes to the archive, which it is called with
-- @raise a table with the field `message`
function spool_archive.add(archive, path, fill)
  failure.need(archive:write(NAME:pack(path), SIZE:pack(UNFINISHED)))
  local start = archive:seek()
  fill(archive)
  local stop = archive:seek "end"
  archive:seek("set", start - SIZE:packsize())
  failure.need(archive:write(SIZE:pack(stop - start)))
  archive:seek "end"
end

-- The next name, and the size in bytes; nil if no complete entry is left.
local function next_entry(archive)
  local length = archive:read(2)
  local name = length and #length == 2 and archive:read((("<I2"):unpack(length)))
  local size = name and archive:read(SIZE:packsize())
  size = size and #size == SIZE:packsize() and SIZE:unpack(size)
  if size and size >= 0 then return name, size end
end

--- Copies bytes of a file.
-- @tparam file file
-- @tparam function|stream write takes strings
-- @tparam[opt] integer size at most this number of bytes
function spool_archive.copy(file, write, size)
  size = size or math.maxinteger
  while size > 0 do
    local text = file:read(math.min(BLOCK, size))
    if not text then return end
    write(text)
    size = size - #text
  end
end

--- Extracts all files. The names cannot be trusted: the process in the sandbox may have
-- been taken over.
-- @tparam file archive
-- @tparam function writer_of returns the function of `gprof.output` that writes a file of
--   some name, or nil if that may not be written
-- @raise a table with the field `message`
function spool_archive.extract(archive, writer_of)
  archive:seek("set", 0)
  for name, size in next_entry, archive do
    local write_file = writer_of(name)
    if not write_file then
      failure.raise("%s: is not to be written", (name:gsub("%c", "?")))
    end
    write_file(name, function(write) spool_archive.copy(archive, write, size) end)
  end
end

return spool_archive
