#!/usr/bin/env lua5.4
-- Turns what gcov counted into a profile of basic blocks, which annotated source shows:
--
--     gcc -O0 -g --coverage -o prog prog.c && ./prog
--     gcov --json-format --stdout *.gcda | lua5.4 examples/gcov2blocks.lua prog > blocks
--     lua5.4 gprof.lua -l -A prog blocks
--
-- Each line that gcov counted is a block, where the code of the line begins in the
-- function that gcov names. Calls of a function, which gcov has on the line with its
-- name, are where its code begins: with the brace, if that is on the next line. Lines
-- without code, such as "case 1:", are left out. "#####" on the last line is of what
-- --coverage adds to a program.
--
-- Needs dkjson (Debian: lua-dkjson), and code without optimisation, as gcov does.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("gcov2blocks.lua: ", message, "\n")
  os.exit(1)
end

local found, json = pcall(require, "dkjson")
check(found, "needs the module dkjson, which is not installed")

-- Values of gcov's, which have to be of a type.
local function expect(kind, value)
  check(type(value) == kind, "standard input: is JSON, but not that of gcov")
  return value
end

local function expect_count(value)
  check(math.type(value) == "integer" and value >= 0,
    "standard input: is JSON, but not that of gcov")
  return value
end

check(arg[1] and not arg[2], "usage: gcov2blocks.lua IMAGE < JSON > PROFILE")
local image = check(gprof.image(arg[1]))
local data = gprof.data.new { image = image }

-- Where code of a line begins in functions of a name; for "start", where these begin.
local places = {}

local function add_place(line, address, symbol, file)
  local key = symbol.symbol .. "\0" .. line
  places[key] = places[key] or {}
  for _, place in ipairs(places[key]) do
    -- the first code of the line counts
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

-- Counts a line wherever its code is; returns whether there is any. Files are for gcov as
-- the compiler was told, and often relative.
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
while text:find("%S", position) do  -- one document for each file of counts
  local document, after, problem = json.decode(text, position)
  check(not problem, ("standard input: %s"):format(problem))
  for _, file in ipairs(expect("table", expect("table", document).files)) do
    any = add_file(file) or any
  end
  position = after
end
check(any, "standard input: counts no line of " .. image.path)
check(data:write "-")
