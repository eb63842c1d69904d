--- The index: where in the call graph each function's entry is, by name.
--
-- @module gprof.report.index
-- SPDX-License-Identifier: GPL-3.0-or-later

local heading = require "gprof.heading"
local names = require "gprof.names"

local COLUMNS = 3
local NUMBER_WIDTH = 5  -- numbers are set to the right within this many characters

-- The numbers of the functions that anything was seen of, by name, and then those of
-- the cycles.
local function collect(profile, options)
  local ids = {}
  for id, calls, ticks in profile:functions("symbol", "id", "calls", "ticks") do
    if options.display_unused_functions or calls ~= 0 or ticks ~= 0 then
      ids[#ids + 1] = id
    end
  end
  for id in profile:cycles(nil, "id") do
    ids[#ids + 1] = id
  end
  return ids
end

-- A function's name; a static one's with its file, as there can be several so named.
local function label(profile, id, options)
  if profile:get(id, "is_cycle") then return (profile:get(id, "name")) end
  local name, file = names.of(profile, id, options), nil
  if not profile.by_line and profile:get(id, "static") then
    file = profile:get(id, "file")
  end
  if not file then return name end
  return name .. " (" .. names.file(file, options) .. ")"
end

-- The text of a row. The cell at column c begins at c times the width of one, but
-- never before the text to its left has ended. The blanks around a number are not
-- counted, so columns drift: the index is set as GNU gprof sets it.
local function format_row(profile, ids, options)
  local cell_width = ((options.width or 80) - 1) // COLUMNS
  local cells, at = {}, 0
  for column, id in ipairs(ids) do
    local number = names.number(profile:get(id, "index", "printed"))
    local text = number .. " " .. label(profile, id, options)
    local fill = math.max(0, (column - 1) * cell_width + NUMBER_WIDTH - at - #number)
    at = at + fill + #text - 1
    if options.color then text = require "gprof.color".name(text, profile, id) end
    cells[column] = (" "):rep(fill) .. " " .. text
  end
  return table.concat(cells)
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `width`: of the lines, in characters (default 80);
--   `display_unused_functions`, `inline_file_names`, `print_path`, `color`
-- @tparam stream write
-- @tparam[opt] function format makes the text of a row of (profile, numbers of its
--   functions and cycles, options); GNU gprof's, if absent
return function(profile, options, write, format)
  format = format or format_row
  local ids = collect(profile, options)
  local rows = (#ids + COLUMNS - 1) // COLUMNS
  write(heading(options, "Index by function name\n\n"))
  for row = 1, rows do
    local cells = {}
    for place = row, #ids, rows do
      cells[#cells + 1] = ids[place]
    end
    write(format(profile, cells, options) .. "\n")
  end
end
