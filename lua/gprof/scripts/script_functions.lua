--- The list of a Lua program's functions, which its profile contains (see
-- doc/contexts.md). A function is a table:
--
-- - `source`: the chunk, "@FILE", "=NAME" or a shortened text; or "[C]" and a name that
--   identifies a C function;
-- - `first` and `last`: the lines of the definition; 0 for main chunks and C functions;
-- - `signature`: numbers of its upvalues and parameters, and a number from ORDINAL on
--   for functions in which these are equal. It tells functions apart that are defined in
--   the same lines;
-- - `name`, "" if none is known, and `rank`, the lower the better the name;
-- - `lines`: the numbers of its recorded lines, in ascending order, not empty.
--
-- @internal gprof.scripts.script_functions
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local script_functions = {}

--- The unit of the number in a signature.
script_functions.ORDINAL = 1 << 17

--- Addresses of a line.
script_functions.LINE = 4

--- The address of the first line of the first function.
script_functions.LOW = 0x1000

local HEAD <const>, NAME <const>, NUMBER <const> = "<s4I4I4I4I4", "<s4", "<I4"

-- Returns the number of bytes at the beginning of two texts that are equal: a binary
-- search, since a loop over the bytes of long paths takes a thousand times as long.
local function common_size(a, b)
  local low, high = 0, math.min(#a, #b)
  while low < high do
    local middle = (low + high + 1) // 2
    local is_equal = a:sub(low + 1, middle) == b:sub(low + 1, middle)
    if is_equal then low = middle else high = middle - 1 end
  end
  return low
end

-- Compares two texts byte by byte. The operator < depends on the program's locale.
local function compare_texts(a, b)
  local at = common_size(a, b) + 1
  return (a:byte(at) or -1) - (b:byte(at) or -1)
end

--- Returns a number below, equal to or above 0 if function `a` comes before `b`, is the
-- same, or comes after it.
local function compare(a, b)
  local order = a.source == b.source and 0 or compare_texts(a.source, b.source)
  if order == 0 then order = a.first - b.first end
  if order == 0 then order = a.last - b.last end
  return order ~= 0 and order or a.signature - b.signature
end

--- Sorts functions as in a list.
-- @tparam {table,...} functions
function script_functions.sort(functions)
  table.sort(functions, function(a, b) return compare(a, b) < 0 end)
end

--- Writes a list.
-- @tparam {table,...} functions sorted
-- @treturn string
function script_functions.encode(functions)
  local parts = {}
  for i, f in ipairs(functions) do
    local lines = {}
    for j, line in ipairs(f.lines) do lines[j] = NUMBER:pack(line) end
    parts[i] = HEAD:pack(f.source, f.first, f.last, f.signature, f.rank) ..
      NAME:pack(f.name) .. NUMBER:pack(#lines) .. table.concat(lines)
  end
  return table.concat(parts)
end

-- Reads lines, and where they end.
local function read_lines(bytes, at)
  local count, next_at = NUMBER:unpack(bytes, at)
  local before, lines = -1, {}
  assert(count > 0)
  at = next_at
  for i = 1, count do
    lines[i], at = NUMBER:unpack(bytes, at)
    assert(lines[i] > before and lines[i] <= 0x7fffffff)
    before = lines[i]
  end
  return lines, at
end

local function read_function(bytes, at)
  local f = {}
  f.source, f.first, f.last, f.signature, f.rank, at = HEAD:unpack(bytes, at)
  f.name, at = NAME:unpack(bytes, at)
  f.lines, at = read_lines(bytes, at)
  assert(f.source ~= "")
  return f, at
end

--- Reads a list.
-- @tparam string bytes
-- @treturn[1] {table,...}
-- @return[2] nil
-- @treturn[2] string what is wrong
function script_functions.decode(bytes)
  local list, at = {}, 1
  if bytes == "" then return nil, "is damaged: it has no functions" end
  while at <= #bytes do
    local done, f, next_at = pcall(read_function, bytes, at)
    if not done or list[1] and compare(list[#list], f) >= 0 then
      return nil, ("is damaged: the function at offset %d of its list is wrong"):format(
        at - 1)
    end
    list[#list + 1], at = f, next_at
  end
  return list
end

-- Returns the numbers in either of two ascending arrays.
local function join_lines(a, b)
  local lines, i, j = {}, 1, 1
  while a[i] or b[j] do
    local line = math.min(a[i] or math.maxinteger, b[j] or math.maxinteger)
    if a[i] == line then i = i + 1 end
    if b[j] == line then j = j + 1 end
    lines[#lines + 1] = line
  end
  return lines
end

-- Returns a function with the lines of both, and the better name.
local function join_function(a, b)
  local order = a.rank - b.rank
  if order == 0 then order = compare_texts(a.name, b.name) end
  local named = order <= 0 and a or b
  return { source = a.source, first = a.first, last = a.last,
    signature = a.signature, name = named.name, rank = named.rank,
    lines = join_lines(a.lines, b.lines) }
end

--- Returns a list with the functions and lines of two lists. The result for several lists
-- does not depend on their order or grouping.
-- @tparam {table,...} a
-- @tparam {table,...} b
-- @treturn {table,...}
function script_functions.join(a, b)
  local joined, i, j = {}, 1, 1
  while a[i] or b[j] do
    local order = not a[i] and 1 or not b[j] and -1 or compare(a[i], b[j])
    joined[#joined + 1] = order == 0 and join_function(a[i], b[j]) or
      order < 0 and a[i] or b[j]
    if order <= 0 then i = i + 1 end
    if order >= 0 then j = j + 1 end
  end
  return joined
end

--- Returns the file of a function; nil if its chunk is not a file.
-- @tparam table f
-- @treturn string|nil
function script_functions.file(f) return f.source:match "^@(.+)$" end

-- Names -------------------------------------------------------------------------------

-- How much a name says: as little as needed to tell functions apart.
local NAME_ONLY <const>, PLACE <const>, PATH <const> = 0, 1, 2

-- Returns the place of a function: its file, or where a C function is.
local function place_of(f, detail)
  if f.source:find("[C]", 1, true) == 1 then return f.source:sub(4) end
  local file = script_functions.file(f)
  local place = file and (detail < PATH and base_name(file) or file) or
    f.source:gsub("^=", "")
  return f.first == 0 and place or ("%s:%d"):format(place, f.first)
end

-- Returns the name of a function with some detail.
local function name_of(f, detail)
  local place, is_c = place_of(f, detail), f.source:find("[C]", 1, true) == 1
  if is_c and f.name == "" then return place end
  if not is_c and f.first == 0 then return "main chunk of " .. place end
  if f.name == "" then return "function at " .. place end
  return detail == NAME_ONLY and f.name or ("%s (%s)"):format(f.name, place)
end

-- Returns the functions with equal names: arrays of their numbers, by name.
local function groups_of(names)
  local groups = {}
  for i, name in ipairs(names) do
    groups[name] = groups[name] or {}
    table.insert(groups[name], i)
  end
  return groups
end

local function differ_in_source(functions, group)
  for _, i in ipairs(group) do
    if functions[i].source ~= functions[group[1]].source then return true end
  end
  return false
end

-- Adds detail to the names that several functions have.
local function add_detail(functions, names, details, detail)
  for _, group in pairs(groups_of(names)) do
    local helps = detail ~= PATH or differ_in_source(functions, group)
    for _, i in ipairs(group[2] and helps and group or {}) do
      details[i] = math.max(details[i], detail)
      names[i] = name_of(functions[i], details[i])
    end
  end
end

-- Numbers the functions that still have equal names.
local function number_names(names)
  local used, groups, last = {}, groups_of(names), {}
  for i, name in ipairs(names) do
    local number = last[name] or 1
    while used[names[i]] or number > 1 and groups[names[i]] do
      number = number + 1
      names[i] = ("%s (%d)"):format(name, number)
    end
    used[names[i]], last[name] = true, number
  end
end

--- Returns the names of functions in reports. No two are equal.
-- @tparam {table,...} functions sorted
-- @treturn {string,...}
function script_functions.names(functions)
  local names, details = {}, {}
  for i, f in ipairs(functions) do
    -- the definitions of such functions do not name them
    local is_derived = f.name:find "^callback of " or f.name:find "^function returned by "
    details[i] = is_derived and PLACE or NAME_ONLY
    names[i] = name_of(f, details[i])
  end
  for detail = PLACE, PATH do add_detail(functions, names, details, detail) end
  number_names(names)
  return names
end

return script_functions
