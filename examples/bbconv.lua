#!/usr/bin/env lua5.4
-- Converts bb.out, the readable counts of basic blocks that programs of old compilers
-- (gcc -a) leave, into a profile in the format of today:
--
--     lua5.4 examples/bbconv.lua a.out < bb.out > bb-data
--
-- The profile can be named beside gmon.out. It has one record for each source file, and
-- is in the byte order and pointer size of the image, a.out.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
local place = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = place .. "/../?.lua;" .. package.path
local gprof = require "gprof"

local BLOCKS <const> = 2  -- the tag of records of counts of blocks

local function fail(...)
  error({ message = string.format(...) }, 0)
end

local function check(value, message)
  return value or fail("%s", message)
end

local function too_large(line, digits, size)
  fail("standard input: line %d: %s does not fit the image's %d bytes", line, digits, size)
end

local function to_count(digits, size, line)
  local count = math.tointeger(tonumber(digits))
  if not count or size < 8 and count >= 1 << 8 * size then too_large(line, digits, size) end
  return count
end

local function to_address(digits, size, line)
  if #digits:gsub("^0+", "") > 2 * size then too_large(line, "0x" .. digits, size) end
  return tonumber(digits, 16)
end

-- A source file's blocks have to be as many as its line says.
local function check_file(file)
  if file and #file.blocks ~= tonumber(file.announced) then
    fail("standard input: line %d: the file has %s basic blocks, but lines for %d", file.line,
      file.announced, #file.blocks)
  end
end

-- Reads lines; returns an array of files, each with its blocks, { address, count }.
local function read(lines, size)
  local files, line = {}, 0
  for text in lines do
    line = line + 1
    local announced = text:match "^File .*, *(%d+) basic blocks?%s*$"
    local count, address = text:match "^%s*Block .-executed%s+(%d+) .-address=%s*0x(%x+)"
    if announced then
      check_file(files[#files])
      files[#files + 1] = { line = line, announced = announced, blocks = {} }
    elseif count then
      local file = files[#files] or
        fail("standard input: line %d: a block comes before the first file", line)
      table.insert(file.blocks, { to_address(address, size, line), to_count(count, size, line) })
    elseif text:find "%S" and not text:find "^Basic block profiling" then
      fail("standard input: line %d: is about neither a file nor a block", line)
    end
  end
  check_file(files[#files])
  return files[1] and files or fail("standard input: has no line about a file")
end

-- The bytes of a profile.
local function encode(files, image)
  local order, pointer = image.big_endian and ">" or "<", "I" .. image.pointer_size
  local parts = { string.pack(order .. "c4I4c12", "gmon", 1, "") }
  for _, file in ipairs(files) do
    parts[#parts + 1] = string.pack(order .. "BI4", BLOCKS, #file.blocks)
    for _, block in ipairs(file.blocks) do
      parts[#parts + 1] = string.pack(order .. pointer .. pointer, block[1], block[2])
    end
  end
  return table.concat(parts)
end

local function convert(path)
  if not path or arg[2] then fail "usage: bbconv.lua IMAGE < bb.out > PROFILE" end
  local image = check(gprof.image(path))
  local bytes = encode(read(io.lines(), image.pointer_size), image)
  local written, message = io.stdout:write(bytes)
  if written then written, message = io.stdout:flush() end
  if not written then fail("standard output: %s", message) end
end

local done, problem = pcall(convert, arg[1])
if not done then
  if type(problem) ~= "table" then error(problem, 0) end
  io.stderr:write("bbconv.lua: ", problem.message, "\n")
  os.exit(1)
end
