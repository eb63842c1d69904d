--- The source in a page: files of which anything was recorded, the most time first, as
-- far as there is room.
--
-- @internal gprof.export.html.sources
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local source_text = require "gprof.library.source_text"

local sources = {}

-- How many files are looked for, and how much text there is in all, in bytes. Of a file
-- with more lines than `WHOLE`, those are there that are at most `AROUND` from one that
-- anything is known of. The rest of longer lines than `LONGEST` is cut.
local MOST_FILES <const>, MOST_TEXT <const> = 300, 400000
local WHOLE <const>, AROUND <const>, LONGEST <const> = 1500, 15, 400

-- A profile by line of the same data.
local function by_line(profile, options)
  if profile.by_line then return profile end
  local picked = arguments.pick(options, "profile")
  picked.line = (options.include or options.exclude) and "all" or true
  picked.missed = nil  -- it was said before
  picked.with = nil    -- libraries have functions beside a program, and no lines
  return (failure.need(gprof.profile(profile.image, profile.data, picked)))
end

-- Names of files of which anything was recorded, the most time first.
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

-- Whether anything was recorded of a line.
local function is_known(line)
  return (line.seconds or 0) > 0 or (line.calls or 0) > 0 or (line.blocks or 0) > 0
end

-- Which lines are there: all, or those around known ones.
local function chosen_lines(lines)
  local chosen = {}
  for i, line in ipairs(lines) do
    if #lines <= WHOLE then
      chosen[i] = true
    elseif is_known(line) then
      for near = math.max(1, i - AROUND), math.min(#lines, i + AROUND) do
        chosen[near] = true
      end
    end
  end
  return chosen
end

-- A line as it is shown.
local function shown(text)
  text = text:gsub("[\r\n]+$", "")
  if #text <= LONGEST then return text end
  local stop = utf8.len(text) and utf8.offset(text, 0, LONGEST) or LONGEST
  return text:sub(1, stop - 1) .. " ..."
end

-- The lines of a file that are there, each with `number` and `text`, and what is known
-- of them; and how many bytes that is.
local function excerpt(lines)
  local found, size, chosen = {}, 0, chosen_lines(lines)
  for i, line in ipairs(lines) do
    if chosen[i] then
      line.text, line.known = shown(line.text), is_known(line)
      found[#found + 1], size = line, size + #line.text
    end
  end
  return found, size
end

local function is_newer(profile, name, directories)
  local built = select(2, core.file_status(profile.image.path))
  local _, changed = source_text.find(name, directories)
  return built and changed and changed > built
end

-- Puts a file into the result, or what became of it.
local function add(result, profile, file, options)
  local lines = #result.files + #result.missing < MOST_FILES and result.size < MOST_TEXT
  if not lines then
    result.left_out = result.left_out + 1
    return
  end
  lines = profile:annotate(file.name, options.directory_path)
  if not lines then
    table.insert(result.missing, file.name)
    return
  end
  local found, size = excerpt(lines)
  if result.size + size > MOST_TEXT then
    result.left_out = result.left_out + 1
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

--- Collects it.
-- @tparam profile profile
-- @tparam table options those that the profile was made with; `directory_path`: array of
--   directories to look for source in
-- @treturn table `files`, each with its `name` as recorded, its `seconds` (or nil) and
--   `calls`, its `lines` that are there, and the `count` of all; names of files that are
--   `missing`, and `newer` than the program; how many are `left_out` for want of room
-- @raise a table with the field `message`
function sources.of(profile, options)
  local result = { files = {}, missing = {}, newer = {}, left_out = 0, size = 0 }
  local lines = by_line(profile, options)
  for _, file in ipairs(files_of(lines)) do add(result, lines, file, options) end
  return result
end

return sources
