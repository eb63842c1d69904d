--- Selects the source text of a page: files in which time or calls were recorded, in
-- descending order of time, up to a total size. If not everything fits, the lines with
-- most time of all files are shown, with the lines around them.
--
-- @internal gprof.export.html.sources
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.library.annotation"
local call_lines = require "gprof.analysis.call_lines"
local column_order = require "gprof.format.column_order"
local hot_instructions = require "gprof.analysis.hot_instructions"
local largest = require "gprof.analysis.largest"
local source_text = require "gprof.library.files.source_text"
local wording = require "gprof.format.wording"
local is_less <const> = column_order.is_less

local sources = {}

-- Limits for a page: the number of files, and the total size of their text in bytes.
local MAX_FILES <const>, MAX_TEXT <const> = 300, 400000

-- The usual size of a line in bytes; as many lines are chosen as then fit.
local LINE <const> = 40
local MAX_LINES <const> = MAX_TEXT // LINE

-- A file with more lines than MAX_WHOLE is reduced to chosen lines and CONTEXT lines on
-- either side. A line is cut after MAX_LINE bytes.
local MAX_WHOLE <const>, CONTEXT <const>, MAX_LINE <const> = 1500, 15, 400

-- Returns the entry of a file in a list, which also has the files by name.
local function entry_of(files, name)
  local file = files[name]
  if not file then
    file = { name = name, ticks = 0, calls = 0, near = {}, size = 0 }
    files[name], files[#files + 1] = file, file
  end
  return file
end

-- Returns the files in which time or calls were recorded, in descending order of time,
-- each with its `rank` in this order; and these lines, in columns.
local function files_of(profile)
  local files, line_files, numbers, all_ticks, all_calls, n = {}, {}, {}, {}, {}, 0
  for ticks, calls, name, number in
    profile:functions("address", "ticks", "calls", "file", "line") do
    if name and (ticks > 0 or calls > 0) then
      local file = entry_of(files, name)
      file.ticks, file.calls = file.ticks + ticks, file.calls + calls
      n = n + 1
      line_files[n], numbers[n], all_ticks[n], all_calls[n] = file, number, ticks, calls
    end
  end
  table.sort(files, function(a, b)
    if a.ticks ~= b.ticks then return a.ticks > b.ticks end
    if a.calls ~= b.calls then return a.calls > b.calls end
    return is_less(a.name, b.name)
  end)
  for rank, file in ipairs(files) do file.rank = rank end
  return files,
    { file = line_files, number = numbers, ticks = all_ticks, calls = all_calls }
end

-- Whether a line has figures. Blocks with a count of 0 are known not to have run.
local function is_known(line)
  return (line.seconds or 0) > 0 or (line.calls or 0) > 0 or line.blocks ~= nil
end

-- Adds the lines that were executed according to counts of blocks.
local function add_blocks(profile, files, lines)
  local numbers = {}
  for number, name in ipairs(profile.symbols:files()) do numbers[name] = number end
  for _, file in ipairs(files) do
    local executions = annotation.executions(profile, numbers[file.name])
    for number, count in pairs(executions) do
      if count > 0 then
        local i = #lines.number + 1
        lines.file[i], lines.number[i], lines.ticks[i], lines.calls[i] =
          file, number, 0, count
      end
    end
  end
end

-- Returns the lines with most time, then those with most calls, in columns: `file` and
-- `number`.
local function hottest(lines)
  local heat, most = {}, 0
  for _, calls in ipairs(lines.calls) do most = math.max(most, calls) end
  for i, calls in ipairs(lines.calls) do
    heat[i] = lines.ticks[i] + calls / (most + 1)
  end
  local found = { file = {}, number = {}, rank = {}, calls = {}, ticks = {} }
  for i, row in ipairs(largest(heat, MAX_LINES)) do
    local file = lines.file[row]
    found.file[i], found.rank[i], found.number[i] = file, file.rank, lines.number[row]
    found.calls[i], found.ticks[i] = -lines.calls[row], -lines.ticks[row]
  end
  for _, key in ipairs { "number", "rank", "calls", "ticks" } do
    column_order.sort(found, key)
  end
  return found
end

-- Chooses lines until there are enough. Sets fields of files: `near`, the numbers of the
-- chosen lines and those around them, as a set; and `size`, how many these are. Returns
-- the sum of the sizes.
local function choose_lines(lines)
  local size, hot = 0, hottest(lines)
  for i, file in ipairs(hot.file) do
    if size >= MAX_LINES then break end
    for number = math.max(1, hot.number[i] - CONTEXT), hot.number[i] + CONTEXT do
      if not file.near[number] then
        file.near[number], file.size, size = true, file.size + 1, size + 1
      end
    end
  end
  return size
end

-- Removes the line end and cuts a long line.
local function shown(text)
  text = text:match "^.*[^\r\n]" or ""
  return #text > MAX_LINE and wording.cut(text, MAX_LINE) .. " ..." or text
end

-- Whether a text of `count` lines is too long to be shown as a whole, in `room` bytes.
local function is_long(text, count, room)
  if count > MAX_WHOLE or #text <= room then return count > MAX_WHOLE end
  for _, line in ipairs(source_text.lines(text)) do
    room = room - math.min(#line, MAX_LINE)
  end
  return room < 0
end

-- Returns the included lines of a file, as from `profile:annotate`, with two more fields:
-- `known`, and `place`, the line's index from 0; their size in bytes; and the number of
-- all lines. Nil if the file cannot be read. All lines are included if they are few and
-- have at most `room` bytes.
local function excerpt(profile, file, options, room)
  local count
  local lines = annotation.annotate(profile, file.name, options.directory_path,
    function(text)
      count = select(2, source_text.lines(text, {}))
      return is_long(text, count, room) and file.near or nil
    end)
  if not lines then return nil end
  local numbers, found, size = {}, {}, 0
  for number in pairs(lines) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for i, number in ipairs(numbers) do
    local line = lines[number]
    line.text, line.known, line.place = shown(line.text), is_known(line), i - 1
    found[i], size = line, size + #line.text
  end
  return found, size, count
end

local function is_newer(profile, name, directories)
  local _, changed = source_text.find(name, directories)
  return changed and changed > source_text.built(profile.image)
end

-- Adds a file to the result, or records why it is left out. `waiting`: the number of
-- lines that were chosen in later files.
local function add(result, profile, file, options, waiting)
  local room = MAX_TEXT - result.size
  local found, size, count
  if file.size > 0 and #result.files + #result.missing < MAX_FILES then
    found, size, count = excerpt(profile, file, options, room - waiting * LINE)
    if not found then
      table.insert(result.missing, file.name)
      return
    end
  end
  if not found or size > room then
    table.insert(result.left_out, file.name)
    return
  end
  result.size = result.size + size
  table.insert(result.files, { name = file.name,
    seconds = profile.rate and file.ticks / profile.rate,
    calls = file.calls, lines = found, count = count })
  if is_newer(profile, file.name, options.directory_path) then
    table.insert(result.newer, file.name)
  end
end

-- Adds the instructions of the hottest lines.
local function add_instructions(profile, files, symbols)
  local hot = {}
  for _, file in ipairs(files) do
    for _, line in ipairs(file.lines) do
      line.file = file.name
      if (line.seconds or 0) > 0 then hot[#hot + 1] = line end
    end
  end
  table.sort(hot, function(a, b)
    if a.seconds ~= b.seconds then return a.seconds > b.seconds end
    if a.file ~= b.file then return is_less(a.file, b.file) end
    return a.number < b.number
  end)
  hot_instructions.add(profile, hot, symbols)
end

--- Collects the source text.
-- @tparam profile lines the profile by line
-- @tparam table options `directory_path`: array of directories to search for source files
-- @tparam table symbols the functions, for names in instructions
-- @treturn table `files`: each with `name` (as recorded), `seconds` (or nil), `calls`,
--   `lines` (the included lines; the hottest ones with `code`, see
--   `gprof.analysis.hot_instructions`) and `count` (the number of all lines); `missing`,
--   `newer` (than the program) and `left_out` (over the limits): names of files
function sources.of(lines, options, symbols)
  local result = { files = {}, missing = {}, newer = {}, left_out = {}, size = 0 }
  local files, recorded = files_of(lines)
  if lines.data.block_records > 0 then add_blocks(lines, files, recorded) end
  local waiting = choose_lines(recorded)
  for _, file in ipairs(files) do
    waiting = waiting - file.size
    add(result, lines, file, options, waiting)
  end
  if lines.rate then add_instructions(lines, result.files, symbols) end
  return result
end

-- Returns for each file the places of its lines in the page, by their numbers: in the low
-- bits, the place; above, the number of the file.
local function places_of(files)
  local places = {}
  for i, file in ipairs(files) do
    local own = {}
    for place, line in ipairs(file.lines) do own[line.number] = i << 32 | place - 1 end
    places[file.name] = own
  end
  return places
end

--- Adds the times of the callees of lines.
-- @tparam profile profile by function
-- @tparam profile lines the profile by line
-- @tparam {table,...} files the `files` that `sources.of` returned for the page
-- @tparam {table|boolean,...} targets for each of these files, the table that gets the
--   field `callees`: seconds by the places of lines; or false
function sources.add_callees(profile, lines, files, targets)
  if not profile.rate then return end
  local found = call_lines.of(profile, lines, places_of(files))
  for place, ticks in pairs(found) do
    local target = targets[place >> 32]
    if target then
      target.callees = target.callees or {}
      target.callees[place & 0xffffffff] = ticks / profile.rate
    end
  end
end

-- Returns the lines of a file that have figures, each with the `place` that it has in the
-- page.
local function lines_with_figures(profile, file, options)
  local included, found = {}, {}
  for _, line in ipairs(file.lines) do included[line.number] = true end
  local lines = annotation.annotate(profile, file.name, options.directory_path,
    function() return included end) or {}
  for place, shown_line in ipairs(file.lines) do
    local line = lines[shown_line.number]
    if line and is_known(line) then
      line.known, line.place = true, place - 1
      found[#found + 1] = line
    end
  end
  return found
end

--- Collects the figures of the same source text in another profile.
-- @tparam profile lines the profile by line
-- @tparam {table,...} files the `files` that `sources.of` returned for the page
-- @tparam table options as for `sources.of`
-- @treturn table for each of these files: `seconds` (or nil), `calls`, and `lines`, those
--   with figures; false for files without time and calls
function sources.figures(lines, files, options)
  local sums, result = {}, {}
  for _, file in ipairs((files_of(lines))) do sums[file.name] = file end
  for i, file in ipairs(files) do
    local sum = sums[file.name]
    result[i] = sum and { seconds = lines.rate and sum.ticks / lines.rate,
      calls = sum.calls, lines = lines_with_figures(lines, file, options) } or false
  end
  return result
end

return sources
