--- Coverage for lcov and genhtml: executed functions, lines and blocks. The format is
-- described in the manual page geninfo(1), section FILES.
--
-- If basic blocks were counted, the counts are those of lines. Otherwise calls and
-- samples only show what ran.
--
-- @module gprof.export.lcov
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.library.annotation"
local by_line = require "gprof.print.by_line"
local escape = require "gprof.format.escape"
local sorted = require "gprof.format.sorted"
local raise <const> = require "gprof.library.failure".raise

-- The format has a line for each fact, and commas between fields.
local function name_text(name) return escape.bytes(name, "[%c,]") end

-- Functions -----------------------------------------------------------------------------

-- Returns a table from files to their functions: `name`, `line` and `count`, the number
-- of calls, which is at least 1 if anything in the function was recorded.
local function functions_of(profile)
  local files, runs = {}, {}
  for caller in profile:arcs(nil, "caller_id") do runs[caller] = true end
  for id, symbol, file, line, calls, self_calls, ticks in profile:functions("address",
    "id", "symbol", "file", "line", "calls", "self_calls", "ticks")
  do
    if file and line and line > 0 then
      local ran = ticks > 0 or runs[id]
      for _, count in profile:blocks(id) do ran = ran or count > 0 end
      files[file] = files[file] or { called = false }
      files[file].called = files[file].called or calls > 0
      table.insert(files[file], { name = name_text(symbol), line = line,
        count = math.max(calls + self_calls, ran and 1 or 0) })
    end
  end
  return files
end

-- Functions that are static in several objects can have the same name.
local function joined(functions)
  local list, known = {}, {}
  for _, f in ipairs(functions) do
    local first = known[f.name]
    if first then
      first.count = first.count + f.count
    else
      list[#list + 1], known[f.name] = f, f
    end
  end
  table.sort(list, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.name < b.name
  end)
  return list
end

local function write_functions(functions, write)
  local hit = 0
  for _, f in ipairs(functions) do write(("FN:%d,%s\n"):format(f.line, f.name)) end
  for _, f in ipairs(functions) do
    write(("FNDA:%d,%s\n"):format(f.count, f.name))
    if f.count > 0 then hit = hit + 1 end
  end
  write(("FNF:%d\nFNH:%d\n"):format(#functions, hit))
end

-- Lines ---------------------------------------------------------------------------------

-- Returns a table from lines to their counts: the largest of the blocks that begin on the
-- line or continue there.
local function counted_lines(known)
  local largest = {}
  for number, counts in annotation.counts(known, {}) do
    if number > 0 and counts[1] then largest[number] = math.max(table.unpack(counts)) end
  end
  return largest
end

-- Returns a table from lines to 1, for lines that were sampled, or to the calls of the
-- functions that begin there.
local function seen_lines(known, functions)
  local counts = {}
  for number, _, seconds in known:lines() do
    if number > 0 and seconds > 0 then counts[number] = 1 end
  end
  for _, f in ipairs(functions) do
    counts[f.line] = math.max(counts[f.line] or 0, f.count)
  end
  return counts
end

-- Writes the blocks of lines on which several begin, as branches: lcov has no blocks.
local function write_blocks(known, write)
  local found, hit = 0, 0
  for number, counts, _, calls in known:lines() do
    for i, count in ipairs(not calls and counts[2] and counts or {}) do
      write(("BRDA:%d,0,%d,%d\n"):format(number, i - 1, count))
      found, hit = found + 1, hit + (count > 0 and 1 or 0)
    end
  end
  if found > 0 then write(("BRF:%d\nBRH:%d\n"):format(found, hit)) end
end

local function write_lines(counts, write)
  local numbers, hit = sorted.keys(counts), 0
  for _, number in ipairs(numbers) do
    write(("DA:%d,%d\n"):format(number, counts[number]))
    if counts[number] > 0 then hit = hit + 1 end
  end
  write(("LF:%d\nLH:%d\n"):format(#numbers, hit))
end

-- Files ---------------------------------------------------------------------------------

-- Writes a file. Without block counts, files without calls are left out, since nothing
-- shows that they were compiled with -pg, unless they were sampled.
local function write_file(profile, name, number, functions, write)
  local has_blocks = profile.data.block_records > 0
  local known <close> = annotation.lines(profile, number)
  local counts = has_blocks and counted_lines(known) or
    seen_lines(known, functions.called and functions or {})
  if not next(counts) then return end
  write(("TN:%s\nSF:%s\n"):format(
    has_blocks and "gprof_block_counts" or "gprof_calls_and_samples",
    escape.bytes(name, "%c")))
  write_functions(joined(functions), write)
  if has_blocks then write_blocks(known, write) end
  write_lines(counts, write)
  write "end_of_record\n"
end

--- Writes the executed functions and lines of a profile for lcov.
-- @tparam profile profile
-- @tparam table options those of the profile
-- @tparam stream write
-- @raise a table with the field `message`
return function(profile, options, write)
  local lines = by_line.of(profile, options)
  local functions = functions_of(lines:by_function())
  local files = annotation.files(lines)
  if not files[1] then
    raise("%s: has no line numbers, which the export 'lcov' needs: compile with -g",
      profile.image.path)
  end
  table.sort(files, function(a, b) return a.name < b.name end)
  for _, file in ipairs(files) do
    write_file(lines, file.name, file.number, functions[file.name] or {}, write)
  end
end
