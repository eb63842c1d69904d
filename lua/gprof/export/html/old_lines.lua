--- The times of source lines in the old profile of a comparison. The lines of the old and
-- the new text are matched.
--
-- @internal gprof.export.html.old_lines
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.library.annotation"
local arguments = require "gprof.library.options.arguments"
local base_name <const> = require "gprof.format.path".base
local changes = require "gprof.analysis.changes"
local line_diff = require "gprof.analysis.line_diff"
local source_text = require "gprof.library.files.source_text"

local old_lines = {}

-- Returns the number of components at the end that two paths share.
local function common_end(a, b)
  local count = 0
  local next_a, next_b = a:reverse():gmatch "[^/]+", b:reverse():gmatch "[^/]+"
  while true do
    local part = next_a()
    if not part or part ~= next_b() then return count end
    count = count + 1
  end
end

-- Returns a function that returns the old name of a file: the same one, or the only one
-- of those with most components in common.
local function name_finder(old)
  local by_base = {}
  for _, name in ipairs(old.symbols:files()) do
    local base = base_name(name)
    by_base[base] = by_base[base] or {}
    table.insert(by_base[base], name)
  end
  return function(name)
    local best, most, is_only = nil, 0, false
    for _, other in ipairs(by_base[base_name(name)] or {}) do
      if other == name then return name end
      local count = common_end(name, other)
      if count > most then best, most, is_only = other, count, true
      elseif count == most then is_only = false end
    end
    return is_only and best or nil
  end
end

-- Returns the text of a file as the old program was built from it; nil if it has changed
-- since then, or cannot be read.
local function old_text(old, name, directories)
  local text, _, changed = source_text.load(name, directories)
  if text and changed <= source_text.built(old.image) then
    return (source_text.lines(text))
  end
end

-- Returns the times of an old file's lines, by their numbers.
local function times_of(old, name)
  local number, times = annotation.find(old, name), {}
  local known <close> = annotation.lines(old, number)
  for line, _, seconds in known:lines() do
    if seconds and seconds > 0 then times[line] = seconds end
  end
  return times
end

-- Sets the field `old` of a file. `scale`: by what old times are multiplied.
local function add(file, times, before, after, scale)
  local old_of = line_diff.matches(before, after)
  file.old = { places = {}, times = {}, added = {} }
  local found = file.old
  for place, line in ipairs(file.lines) do
    local number = old_of[line.number]
    if not number then
      found.added[#found.added + 1] = place - 1
    elseif times[number] then
      found.places[#found.places + 1] = place - 1
      found.times[#found.times + 1] = scale * times[number]
    end
  end
end

-- Returns the old profile of a comparison; nil if there is none.
local function old_profile(comparison)
  local old = comparison and comparison.unit and
    changes.of(comparison).sides.old.profile
  if not old or arguments.wrong_object(old, "gprof.profile") then return nil end
  return old.rate and old
end

-- Adds the old times of files, given the old profile by line.
local function add_all(old, files, options, scale)
  local name_of = name_finder(old)
  for _, file in ipairs(files) do
    local name = name_of(file.name)
    local before = name and old_text(old, name, options.directory_path)
    local after = source_text.load(file.name, options.directory_path)
    if before and after then
      add(file, times_of(old, name), before, (source_text.lines(after)), scale)
    else
      file.no_old = true
    end
  end
end

--- Adds the old times of the page's lines. They are for as many runs as the new profile
-- has.
-- @tparam comparison|nil comparison
-- @tparam {table,...} files the `files` from `gprof.export.html.sources`; each gets the
--   field `old` with `places` of lines and their `times`, and the places of lines that
--   the old text lacks, `added`; or `no_old`, if the old text is not known
-- @tparam table options `directory_path`: array of directories to search
function old_lines.add(comparison, files, options)
  local old = old_profile(comparison)
  if not old then return end
  local lines = old:by_lines { frames = true }
  add_all(lines, files, options, comparison.new.runs / comparison.old.runs)
  if lines ~= old then lines:close() end
end

return old_lines
