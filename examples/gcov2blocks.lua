#!/usr/bin/env lua5.4
-- Converts line counts of gcov into a profile of basic blocks, for annotated source:
--
--     gcc -O0 -g --coverage -o prog prog.c && ./prog
--     gcov --json-format --stdout *.gcda | lua5.4 examples/gcov2blocks.lua prog > blocks
--     lua5.4 gprof.lua -l -A prog blocks
--
-- Each line with a count becomes a block at the first address of the line in the function
-- that gcov names. gcov counts the calls of a function on the line with its name; here they
-- are on the line of its first code, which may be the opening brace on the next line. Lines
-- without code, such as "case 1:", are left out. In the annotated source, "#####" on the
-- last line belongs to functions that --coverage adds.
--
-- Needs dkjson (Debian: lua-dkjson). Like gcov, needs code compiled without optimization.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("gcov2blocks.lua: ", message, "\n")
  os.exit(1)
end

local found, json = pcall(require, "dkjson")
check(found, "module 'dkjson' not found: install it (Debian: lua-dkjson)")

local NOT_GCOV <const> = "standard input: not from gcov --json-format"

-- Checks the type of a value in the input, and returns the value.
local function expect(kind, value)
  check(type(value) == kind, NOT_GCOV)
  return value
end

local function expect_count(value)
  check(math.type(value) == "integer" and value >= 0, NOT_GCOV)
  return value
end

check(arg[1] and not arg[2], "usage: gcov2blocks.lua IMAGE < JSON > PROFILE")
local image = check(gprof.image(arg[1]))
local data = gprof.data.new { image = image }

-- Places in the code, keyed by function name and line: the first address of the line in
-- each function of that name. The entries of functions have the key "start" instead of a
-- line.
local places = {}

local function add_place(line, address, symbol, file)
  local key = symbol.symbol .. "\0" .. line
  places[key] = places[key] or {}
  for _, place in ipairs(places[key]) do
    -- only the first address of the line counts
    if place.symbol == symbol and place.file == file then return end
  end
  table.insert(places[key], { address = address, symbol = symbol, file = file })
end

for address, file, line, statement in image:lines() do
  local symbol = line and statement and image:lookup(address)
  if symbol then
    add_place(line, address, symbol, file)
    if address == symbol.address then add_place("start", address, symbol, file) end
  end
end

-- Adds the count of a line at each of its places; returns whether it has any. gcov prints
-- paths as they were passed to the compiler, so they are often relative.
local function add_line(file, name, line, count)
  local any = false
  for _, place in ipairs(places[name .. "\0" .. line] or {}) do
    if place.file == file or place.file:sub(-#file - 1) == "/" .. file then
      check(data:add_block(place.address, count))
      any = true
    end
  end
  return any
end

local function add_file(file)
  local starts, any = {}, false
  expect("string", expect("table", file).file)
  for _, f in ipairs(expect("table", file.functions)) do
    starts[expect("string", expect("table", f).name)] = f.start_line
  end
  for _, line in ipairs(expect("table", file.lines)) do
    local number = expect_count(expect("table", line).line_number)
    local name = expect("string", line.function_name or "")
    local count = expect_count(line.count)
    any = add_line(file.file, name, number, count)
      or starts[name] == number and add_line(file.file, name, "start", count) or any
  end
  return any
end

local text, position, any = check(io.read "a"), 1, false
while text:find("%S", position) do  -- gcov prints one JSON document for each .gcda file
  local document, after, problem = json.decode(text, position)
  check(not problem, ("standard input: %s"):format(problem))
  for _, file in ipairs(expect("table", expect("table", document).files)) do
    any = add_file(file) or any
  end
  position = after
end
check(any, "standard input: no counts for lines of " .. image.path)
check(data:write "-")
