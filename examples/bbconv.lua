#!/usr/bin/env lua5.4
-- Converts bb.out, a text file of basic-block counts, into a profile in the current format.
-- Programs compiled with gcc -a (old versions of gcc) write bb.out.
--
--     lua5.4 examples/bbconv.lua a.out < bb.out > bb-data
--
-- The result can be passed to gprof.lua together with gmon.out. It has the byte order and
-- pointer size of the image, a.out.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function fail(...)
  io.stderr:write("bbconv.lua: ", string.format(...), "\n")
  os.exit(1)
end

local function check(value, message)
  return value or fail("%s", message)
end

if #arg ~= 1 then fail "usage: bbconv.lua IMAGE < bb.out > PROFILE" end
local image = check(gprof.image(arg[1]))
local data, size = gprof.data.new { image = image }, image.pointer_size

local function too_large(line, digits)
  fail("standard input: line %d: %s does not fit in the image's pointer size (%d bytes)",
    line, digits, size)
end

local function to_count(digits, line)
  local count = math.tointeger(tonumber(digits))
  if not count or size < 8 and count >= 1 << 8 * size then too_large(line, digits) end
  return count
end

local function to_address(digits, line)
  if #digits:gsub("^0+", "") > 2 * size then too_large(line, "0x" .. digits) end
  return tonumber(digits, 16)
end

-- Checks that a source file has as many blocks as its "File" line announces.
local function check_file(file)
  if file and file.blocks ~= tonumber(file.announced) then
    fail("standard input: line %d: announces %s basic blocks, but %d follow",
      file.line, file.announced, file.blocks)
  end
end

local line, file = 0, nil
for text in io.lines() do
  line = line + 1
  local announced = text:match "^File .*, *(%d+) basic blocks?%s*$"
  local count, address = text:match "^%s*Block .-executed%s+(%d+) .-address=%s*0x(%x+)"
  if announced then
    check_file(file)
    file = { line = line, announced = announced, blocks = 0 }
  elseif count then
    if not file then
      fail("standard input: line %d: expected a \"File\" line before the first block", line)
    end
    file.blocks = file.blocks + 1
    local place, executions = to_address(address, line), to_count(count, line)
    local added, problem = data:add_block(place, executions)
    if not added then fail("standard input: line %d: %s", line, problem) end
  elseif text:find "%S" and not text:find "^Basic block profiling" then
    fail("standard input: line %d: expected a \"File\" or \"Block\" line", line)
  end
end
check_file(file)
if not file then fail "standard input: has no \"File\" line" end
check(data:write "-")
