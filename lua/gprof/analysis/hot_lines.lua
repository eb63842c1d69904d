--- The source lines in which time was spent.
--
-- @internal gprof.analysis.hot_lines
-- SPDX-License-Identifier: GPL-3.0-or-later

local hot_lines = {}

-- Adds samples to the row of a key; `fields` are those of a new row.
local function add(rows, key, ticks, fields)
  local row = rows.by_key[key]
  if not row then
    row = fields
    row.ticks, row.functions = 0, {}
    rows.by_key[key], rows.list[#rows.list + 1] = row, row
  end
  row.ticks = row.ticks + ticks
  return row
end

-- Adds samples to the row's function of that name and owner.
local function add_function(row, name, owner, ticks)
  for _, known in ipairs(row.functions) do
    if known.name == name and known.owner == owner then
      known.ticks = known.ticks + ticks
      return
    end
  end
  table.insert(row.functions, { name = name, owner = owner, ticks = ticks })
end

local function add_lines(rows, profile)
  for id, ticks in profile:functions("address", "id", "ticks") do
    if ticks > 0 then
      local file, line, name, owner =
        profile:get(id, "file", "line", "name", "function_id")
      local has_line = file and line and line > 0
      local key = has_line and file .. "\0" .. line or owner
      add_function(add(rows, key, ticks, has_line and { file = file, line = line } or {}),
        name, profile:get(owner, "address"), ticks)
    end
  end
end

-- Adds functions of shared libraries, which a profile by line lacks.
local function add_libraries(rows, profile)
  for id, ticks, object in profile:functions("address", "id", "ticks", "object") do
    if ticks > 0 and object then
      local name, address = profile:get(id, "name", "address")
      add_function(add(rows, name, ticks, {}), name, address, ticks)
    end
  end
end

local function is_heavier(a, b)
  if a.ticks ~= b.ticks then return a.ticks > b.ticks end
  if a.name ~= b.name then return a.name < b.name end
  return (a.owner or 0) < (b.owner or 0)
end

--- Returns the lines with samples, those with most samples first. Code without line
-- information has a row for each function.
-- @tparam profile by_function
-- @tparam profile by_line
-- @treturn {table,...} each with `file` and `line`, or neither; `ticks`; `functions`:
--   array of the functions whose code the line is in, those with most samples first: the
--   `name` (of an inlined function, if the line was inlined), the `owner`, which is the
--   address of the function that contains the code (nil for functions of libraries that
--   were only inlined), and `ticks`
function hot_lines.of(by_function, by_line)
  local rows = { by_key = {}, list = {} }
  add_lines(rows, by_line)
  if not by_line.has_libraries then add_libraries(rows, by_function) end
  for _, row in ipairs(rows.list) do
    if row.functions[2] then table.sort(row.functions, is_heavier) end
  end
  table.sort(rows.list, function(a, b)
    if a.ticks ~= b.ticks then return a.ticks > b.ticks end
    if a.file ~= b.file then return (a.file or "") < (b.file or "") end
    if a.line ~= b.line then return a.line < b.line end
    return a.functions[1].name < b.functions[1].name
  end)
  return rows.list
end

return hot_lines
