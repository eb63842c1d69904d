--- Selects the source text of a page: files in which time or calls were recorded, in
-- descending order of time, up to a total size.
--
-- @internal gprof.export.html.sources
-- SPDX-License-Identifier: GPL-3.0-or-later

local source_text = require "gprof.library.files.source_text"
local wording = require "gprof.format.wording"

local sources = {}

-- Limits for a page: the number of files, and the total size of their text in bytes.
local MAX_FILES <const>, MAX_TEXT <const> = 300, 400000

-- A file with more lines than MAX_WHOLE is reduced to executed lines and CONTEXT lines on
-- either side. A line is cut after MAX_LINE bytes.
local MAX_WHOLE <const>, CONTEXT <const>, MAX_LINE <const> = 1500, 15, 400

-- Returns the files in which time or calls were recorded, in descending order of time.
local function files_of(profile)
  local sums, files = {}, {}
  for id, ticks, calls in profile:functions("address", "id", "ticks", "calls") do
    local file = profile:get(id, "file")
    if file and (ticks > 0 or calls > 0) then
      local sum = sums[file] or { name = file, ticks = 0, calls = 0 }
      if not sums[file] then sums[file], files[#files + 1] = sum, sum end
      sum.ticks, sum.calls = sum.ticks + ticks, sum.calls + calls
    end
  end
  table.sort(files, function(a, b)
    if a.ticks ~= b.ticks then return a.ticks > b.ticks end
    if a.calls ~= b.calls then return a.calls > b.calls end
    return a.name < b.name
  end)
  return files
end

local function is_executed(line)
  return (line.seconds or 0) > 0 or (line.calls or 0) > 0 or (line.blocks or 0) > 0
end

-- Whether a line has figures. Blocks with a count of 0 are known not to have run.
local function is_known(line)
  return is_executed(line) or line.blocks ~= nil
end

-- Returns the set of included line numbers: all, or those near executed lines.
local function chosen_lines(lines)
  local chosen = {}
  for i, line in ipairs(lines) do
    if #lines <= MAX_WHOLE then
      chosen[i] = true
    elseif is_executed(line) then
      for near = math.max(1, i - CONTEXT), math.min(#lines, i + CONTEXT) do
        chosen[near] = true
      end
    end
  end
  return chosen
end

-- Removes the line end and cuts a long line.
local function shown(text)
  text = text:match "^.*[^\r\n]" or ""
  return #text > MAX_LINE and wording.cut(text, MAX_LINE) .. " ..." or text
end

-- Returns the included lines of a file, as from `profile:annotate`, with two more fields:
-- `known`, and `place`, the line's index from 0; and their size in bytes.
local function excerpt(lines)
  local found, size, chosen = {}, 0, chosen_lines(lines)
  for i, line in ipairs(lines) do
    if chosen[i] then
      line.text, line.known, line.place = shown(line.text), is_known(line), #found
      found[#found + 1], size = line, size + #line.text
    end
  end
  return found, size
end

local function is_newer(profile, name, directories)
  local _, changed = source_text.find(name, directories)
  return changed and changed > source_text.built(profile.image)
end

-- Adds a file to the result, or records why it is left out.
local function add(result, profile, file, options)
  if #result.files + #result.missing >= MAX_FILES or result.size >= MAX_TEXT then
    table.insert(result.left_out, file.name)
    return
  end
  local lines = profile:annotate(file.name, options.directory_path)
  if not lines then
    table.insert(result.missing, file.name)
    return
  end
  local found, size = excerpt(lines)
  if result.size + size > MAX_TEXT then
    table.insert(result.left_out, file.name)
    return
  end
  result.size = result.size + size
  table.insert(result.files, { name = file.name,
    seconds = profile.rate and file.ticks / profile.rate,
    calls = file.calls, lines = found, count = #lines })
  if is_newer(profile, file.name, options.directory_path) then
    table.insert(result.newer, file.name)
  end
end

--- Collects the source text.
-- @tparam profile lines the profile by line
-- @tparam table options `directory_path`: array of directories to search for source files
-- @treturn table `files`: each with `name` (as recorded), `seconds` (or nil), `calls`,
--   `lines` (the included lines) and `count` (the number of all lines); `missing`,
--   `newer` (than the program) and `left_out` (over the limits): names of files
function sources.of(lines, options)
  local result = { files = {}, missing = {}, newer = {}, left_out = {}, size = 0 }
  for _, file in ipairs(files_of(lines)) do add(result, lines, file, options) end
  return result
end

-- Returns the lines of a file that have figures, each with the `place` that it has in the
-- page.
local function lines_with_figures(profile, file, options)
  local places, found = {}, {}
  for _, line in ipairs(file.lines) do places[line.number] = line.place end
  for _, line in ipairs(profile:annotate(file.name, options.directory_path) or {}) do
    line.known, line.place = is_known(line), places[line.number]
    if line.known and line.place then found[#found + 1] = line end
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
  for _, sum in ipairs(files_of(lines)) do sums[sum.name] = sum end
  for i, file in ipairs(files) do
    local sum = sums[file.name]
    result[i] = sum and { seconds = lines.rate and sum.ticks / lines.rate,
      calls = sum.calls, lines = lines_with_figures(lines, file, options) } or false
  end
  return result
end

return sources
