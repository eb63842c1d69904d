--- The source lines in which time was spent.
--
-- @internal gprof.analysis.hot_lines
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"
local is_less <const> = column_order.is_less

local hot_lines = {}

-- Adds a row to a list; returns it. Its field `known` maps names and owners to its
-- functions while samples are added.
local function add_row(list, file, line)
  local row = { file = file, line = line, ticks = 0, functions = {}, known = {} }
  list[#list + 1] = row
  return row
end

-- Adds samples to the row's function of that name and owner.
local function add_function(row, name, owner, ticks)
  row.ticks = row.ticks + ticks
  local owners = row.known[name] or {}
  row.known[name] = owners
  local f = owners[owner or false]
  if not f then
    f = { name = name, owner = owner, ticks = 0 }
    owners[owner or false] = f
    row.functions[#row.functions + 1] = f
  end
  f.ticks = f.ticks + ticks
end

-- Numbers the lines with samples. Returns the numbers, by file and line, and the samples.
local function number_lines(profile)
  local by_file, sums = {}, {}
  for ticks, file, line in profile:functions("sampled", "ticks", "file", "line") do
    if file and line and line > 0 then
      local numbers = by_file[file] or {}
      local number = numbers[line] or #sums + 1
      by_file[file], numbers[line] = numbers, number
      sums[number] = (sums[number] or 0) + ticks
    end
  end
  return by_file, sums
end

-- Adds the lines with samples to `list`, at least the `most` hottest ones; code without
-- line information, with a row for each function, to `others`.
local function add_lines(list, others, profile, most)
  local by_owner, rows, by_file, sums = {}, {}, number_lines(profile)
  local least = column_order.threshold(sums, most or math.huge)
  for ticks, file, line, name, owner in
    profile:functions("sampled", "ticks", "file", "line", "name", "function_id")
  do
    local number, row = by_file[file] and by_file[file][line], nil
    if not number then
      row = by_owner[owner] or add_row(others)
      by_owner[owner] = row
    elseif sums[number] >= least then
      row = rows[number] or add_row(list, file, line)
      rows[number] = row
    end
    if row then add_function(row, name, profile:get(owner, "address"), ticks) end
  end
end

-- Adds functions of shared libraries, which a profile by line lacks.
local function add_libraries(others, profile)
  local by_name = {}
  for id, ticks, object in profile:functions("sampled", "id", "ticks", "object") do
    if object then
      local name, address = profile:get(id, "name", "address")
      by_name[name] = by_name[name] or add_row(others)
      add_function(by_name[name], name, address, ticks)
    end
  end
end

local function is_heavier(a, b)
  if a.ticks ~= b.ticks then return a.ticks > b.ticks end
  if a.name ~= b.name then return is_less(a.name, b.name) end
  return (a.owner or 0) < (b.owner or 0)
end

-- Sorts rows: those with most samples first, then by file and line.
local function in_order(rows)
  local names, ranks, places, ticks = {}, {}, {}, {}
  for _, row in ipairs(rows) do names[row.file or ""] = true end
  for rank, name in ipairs(column_order.keys(names)) do ranks[name] = rank end
  for i, row in ipairs(rows) do
    places[i], ticks[i] = ranks[row.file or ""] << 32 | (row.line or 0), -row.ticks
  end
  local columns = { row = rows, place = places, ticks = ticks }
  return column_order.sort(column_order.sort(columns, "place"), "ticks").row
end

--- Returns the lines with samples, those with most samples first. Code without line
-- information has a row for each function; in Lua programs, where these are C functions,
-- such rows follow those of all lines.
-- @tparam profile by_function
-- @tparam profile by_line
-- @tparam[opt] integer most leave out some lines after this many
-- @treturn {table,...} each with `file` and `line`, or neither; `ticks`; `functions`:
--   array of the functions whose code the line is in, those with most samples first: the
--   `name` (of an inlined function, if the line was inlined), the `owner`, which is the
--   address of the function that contains the code (nil for functions of libraries that
--   were only inlined), and `ticks`
function hot_lines.of(by_function, by_line, most)
  local list, others = {}, {}
  add_lines(list, others, by_line, most)
  if not by_line.has_libraries then add_libraries(others, by_function) end
  for _, rows in ipairs { list, others } do
    for _, row in ipairs(rows) do
      row.known = nil
      if row.functions[2] then table.sort(row.functions, is_heavier) end
    end
  end
  table.sort(others, function(a, b)
    return is_less(a.functions[1].name, b.functions[1].name)
  end)
  if by_function.image.has_scripts then
    list, others = in_order(list), in_order(others)
    return table.move(others, 1, #others, #list + 1, list)
  end
  return in_order(table.move(list, 1, #list, #others + 1, others))
end

return hot_lines
