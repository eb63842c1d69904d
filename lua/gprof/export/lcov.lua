--- Coverage for lcov and genhtml: executed functions, lines and blocks. The format is
-- described in the manual page geninfo(1), section FILES.
--
-- If basic blocks were counted, the counts are those of lines. Otherwise calls and
-- samples only show what ran.
--
-- @module gprof.export.lcov
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.library.annotation"
local escape = require "gprof.format.escape"
local is_less <const> = require "gprof.format.column_order".is_less
local labels = require "gprof.print.labels"
local sorted = require "gprof.format.sorted"
local without_detours <const> = require "gprof.format.path".without_detours
local raise <const> = require "gprof.library.failure".raise

-- The format has a line for each fact, and commas between fields.
local function name_text(name) return escape.bytes(name, "[%c,]") end

-- Files ---------------------------------------------------------------------------------

-- Returns the source files, sorted by name, each with its `name`, and its `numbers` in
-- the profile. Compilers can name one file in several ways.
local function files_of(profile)
  local files, known = {}, {}
  for _, file in ipairs(annotation.files(profile)) do
    local name = without_detours(file.name)
    if not known[name] then
      known[name] = { name = name, numbers = {} }
      files[#files + 1] = known[name]
    end
    table.insert(known[name].numbers, file.number)
  end
  table.sort(files, function(a, b) return is_less(a.name, b.name) end)
  return files
end

-- Functions -----------------------------------------------------------------------------

-- Returns a table from files to their functions: `name`, `line` and `count`, the number
-- of calls, which is at least 1 if anything in the function was recorded.
local function functions_of(profile, options)
  local has_labels = options.short_names or options.inline_file_names
  local shown = has_labels and labels.exported(profile, options)
  local files, calls_others = {}, {}
  for caller in profile:arcs(nil, "caller_id") do calls_others[caller] = true end
  for id, symbol, file, line, calls, self_calls, ticks in profile:functions("address",
    "id", "symbol", "file", "line", "calls", "self_calls", "ticks")
  do
    if file and line and line > 0 then
      file = without_detours(file)
      local ran = ticks > 0 or calls_others[id]
      for _, count in profile:blocks(id) do ran = ran or count > 0 end
      files[file] = files[file] or { called = false }
      files[file].called = files[file].called or calls > 0
      table.insert(files[file], { line = line, symbol = name_text(symbol),
        name = name_text(shown and shown[id] or symbol),
        count = math.max(calls + self_calls, ran and 1 or 0) })
    end
  end
  return files
end

-- Functions that are static in several objects can have the same name. Different
-- functions with the same short name keep their symbols.
local function joined(functions)
  local list, known = {}, {}
  for _, f in ipairs(functions) do
    local first = known[f.name]
    if first and first.line ~= f.line then f.name, first = f.symbol, known[f.symbol] end
    if first then
      first.count = first.count + f.count
    else
      list[#list + 1], known[f.name] = f, f
    end
  end
  table.sort(list, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return is_less(a.name, b.name)
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

-- Adds the counts of a part of a file's lines, where blocks begin or continue.
local function add_counted(profile, number, counts)
  local known <close> = annotation.lines(profile, number)
  local executions = annotation.executions(profile, number)
  for line, list in annotation.counts(known, {}) do
    local most = executions[line]
    for _, count in ipairs(list) do most = math.max(most, count) end
    if line > 0 and list[1] then counts[line] = (counts[line] or 0) + most end
  end
end

-- Sets the counts of lines that were sampled to 1.
local function add_seen(profile, number, counts)
  local known <close> = annotation.lines(profile, number)
  for line, _, seconds in known:lines() do
    if line > 0 and seconds > 0 then counts[line] = 1 end
  end
end

-- Returns a table from the lines of a file to their counts. Without counts of blocks,
-- lines have the calls of all functions that begin there, but at least 1 if they were
-- sampled.
local function counts_of(profile, file, functions, has_blocks)
  local counts, calls = {}, {}
  for _, number in ipairs(file.numbers) do
    (has_blocks and add_counted or add_seen)(profile, number, counts)
  end
  for _, f in ipairs(has_blocks and {} or functions) do
    calls[f.line] = (calls[f.line] or 0) + f.count
  end
  for line, count in pairs(calls) do counts[line] = math.max(counts[line] or 0, count) end
  return counts
end

-- Writes the blocks of lines on which several begin, as branches: lcov has no blocks.
local function write_blocks(profile, file, write)
  local blocks, found, hit = {}, 0, 0
  for _, number in ipairs(file.numbers) do
    local known <close> = annotation.lines(profile, number)
    for line, counts, _, calls in known:lines() do
      local list = blocks[line] or {}
      blocks[line] = list
      if not calls then table.move(counts, 1, #counts, #list + 1, list) end
    end
  end
  for _, line in ipairs(sorted.keys(blocks)) do
    for i, count in ipairs(blocks[line][2] and blocks[line] or {}) do
      write(("BRDA:%d,0,%d,%d\n"):format(line, i - 1, count))
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

-- The export ----------------------------------------------------------------------------

-- Writes a file. Without block counts, files without calls are left out, since nothing
-- shows that they were compiled with -pg, unless they were sampled.
local function write_file(profile, file, functions, write)
  local has_blocks = profile.data.block_records > 0
  local called = functions.called and functions or {}
  local counts = counts_of(profile, file, called, has_blocks)
  if not next(counts) then return end
  write(("TN:%s\nSF:%s\n"):format(
    has_blocks and "gprof_block_counts" or "gprof_calls_and_samples",
    escape.bytes(file.name, "%c")))
  write_functions(joined(functions), write)
  if has_blocks then write_blocks(profile, file, write) end
  write_lines(counts, write)
  write "end_of_record\n"
end

-- Returns the profile by line. If blocks were counted, copies of inlined functions can be
-- told apart in all lines.
local function by_lines(profile, options)
  return profile:by_lines(profile.data.block_records == 0 and options or
    setmetatable({ frames = true, display_unused_functions = true },
      { __index = options }))
end

--- Writes the executed functions and lines of a profile for lcov.
-- @tparam profile profile
-- @tparam table options those of the profile
-- @tparam stream write
-- @raise a table with the field `message`
return function(profile, options, write)
  local lines = by_lines(profile, options)
  local functions = functions_of(lines:by_function(), options)
  local files = files_of(lines)
  if not files[1] then
    raise("%s: has no line numbers, which the export 'lcov' needs: compile with -g",
      profile.image.path)
  end
  for _, file in ipairs(files) do
    write_file(lines, file, functions[file.name] or {}, write)
  end
end
