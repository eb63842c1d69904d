-- Prints the line coverage of the project's sources by file; see `make coverage`.
--
--     report.lua DIRECTORY LUAC
--
-- DIRECTORY is a checkout that was compiled for gcov, with the collector's files in build/lines. The lines that never
-- ran are listed in DIRECTORY/missed.txt. Fails if the coverage is too low.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

package.path = arg[0]:match "^(.*)coverage/[^/]*$" .. "?.lua;" .. package.path

local c_lines = require "coverage.c_lines"
local lua_lines = require "coverage.lua_lines"
local shell = require "support.shell"

-- Minimum coverage in percent.
local LUA_MARK <const>, C_MARK <const> = 95, 90

local HEAD <const>, ROW <const> = "%-34s %6s %8s %6s\n", "%-34s %6d %8d %6.1f\n"

-- Returns the number of lines with code, and of those that ran.
local function count(lines)
  local all, run = 0, 0
  for _, was_run in pairs(lines) do
    all = all + 1
    run = run + (was_run and 1 or 0)
  end
  return all, run
end

local function percent(run, all)
  return all > 0 and 100 * run / all or 0
end

-- Prints a table and its total; returns whether the total reaches the minimum.
local function print_table(language, sources, mark)
  io.write(HEAD:format(language, "lines", "run", "%"))
  local total, total_run = 0, 0
  for _, source in ipairs(sources) do
    local all, run = count(source.lines)
    total, total_run = total + all, total_run + run
    io.write(ROW:format(source.path, all, run, percent(run, all)))
  end
  local share = percent(total_run, total)
  io.write(ROW:format("all", total, total_run, share), share < mark and ("less than %d %%\n"):format(mark) or "", "\n")
  return share >= mark
end

-- Returns the lines that never ran as ranges. A range may include lines without code.
local function missed_ranges(lines)
  local numbers, ranges, range = {}, {}, nil
  for number in pairs(lines) do
    numbers[#numbers + 1] = number
  end
  table.sort(numbers)
  for _, number in ipairs(numbers) do
    if lines[number] then
      range = nil
    elseif range then
      range.last = number
    else
      range = { first = number, last = number }
      ranges[#ranges + 1] = range
    end
  end
  return ranges
end

-- Writes the lines that never ran in the format of compiler messages, so that editors can jump to them.
local function write_missed(file, sources)
  for _, source in ipairs(sources) do
    for _, range in ipairs(missed_ranges(source.lines)) do
      local last = range.last > range.first and " to " .. range.last or ""
      file:write(("%s:%d: never run%s\n"):format(source.path, range.first, last))
    end
  end
end

-- Leaves out what runs in recorded programs, whose lines are not counted.
local function lua_sources(directory)
  local paths = {}
  local list = shell.check({ "find", "gprof.lua", "lua/gprof", "-name", "*.lua",
    "!", "-path", "lua/gprof/recorder.lua", "!", "-path", "lua/gprof/scripts/*" }, { cwd = directory }).stdout
  for path in list:gmatch "[^\n]+" do
    paths[#paths + 1] = path
  end
  table.sort(paths)
  return paths
end

-- Leaves out the recorder, which is compiled without counters: it runs in signal handlers, and without the C library.
-- The block counter is compiled with them.
local function c_sources(directory)
  local sources = {}
  for _, source in ipairs(c_lines.read(directory, "build", "csrc")) do
    if source.path == "csrc/runtime/blocks.c" or not source.path:find "^csrc/runtime/" then
      sources[#sources + 1] = source
    end
  end
  return sources
end

local directory <const>, luac <const> = arg[1], arg[2]
local lua = lua_lines.read(luac, directory .. "/build/lines", directory, lua_sources(directory))
local c = c_sources(directory)
local enough = print_table("Lua", lua, LUA_MARK)
enough = print_table("C", c, C_MARK) and enough
do
  local file <close> = assert(io.open(directory .. "/missed.txt", "w"))
  write_missed(file, lua)
  write_missed(file, c)
end
os.exit(enough, true)
