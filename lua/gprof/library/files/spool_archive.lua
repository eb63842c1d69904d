--- The archive that carries files out of the sandbox.
--
-- The child process cannot open files for writing: it appends them to one open file. The
-- parent extracts the files that are complete. It reads them outside the sandbox, and an
-- attacker may have written them. So this is not a tar archive, whose reader is a parser
-- in C: an entry has two lengths, and Lua reads them.
--
-- @internal gprof.library.files.spool_archive
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = require "gprof.library.failure"

local spool_archive = {}

local BLOCK <const> = 65536  -- bytes copied at once

-- An entry is the name, the size in bytes, and the contents. The size is UNFINISHED until
-- the entry is complete.
local NAME <const>, SIZE <const>, UNFINISHED <const> = "<s2", "<i8", -1

--- Appends a file.
-- @tparam file archive
-- @tparam string path
-- @tparam function fill called with the archive, to which it writes the contents
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

-- Reads the name and size of the next entry; nil if no complete entry is left.
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
-- @tparam[opt] integer size maximum number of bytes; by default all
function spool_archive.copy(file, write, size)
  size = size or math.maxinteger
  while size > 0 do
    local text = file:read(math.min(BLOCK, size))
    if not text then return end
    write(text)
    size = size - #text
  end
end

--- Extracts all files. The names are untrusted, because an attacker may have taken over
-- the sandboxed process.
-- @tparam file archive
-- @tparam function writer_of takes a name; returns the function of `gprof.output` to
--   write the file with, or nil if that is not allowed
-- @raise a table with the field `message`
function spool_archive.extract(archive, writer_of)
  archive:seek("set", 0)
  for name, size in next_entry, archive do
    local write_file = writer_of(name)
    if not write_file then
      failure.raise("%s: writing this file is not allowed", (name:gsub("%c", "?")))
    end
    write_file(name, function(write) spool_archive.copy(archive, write, size) end)
  end
end

return spool_archive
