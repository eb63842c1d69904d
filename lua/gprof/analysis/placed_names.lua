--- Pairs functions of two profiles of a Lua program whose names contain a line, such as
-- "step (work.lua:7)": functions of one file with the same name, and functions without a
-- name (see gprof.format.script_functions). The lines of a changed program differ.
--
-- @internal gprof.analysis.placed_names
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base

local placed_names = {}

-- Returns a name without its line, the line, and the number among functions of this line.
-- Nil if the name has no line.
local function parse(name)
  if not name:find(":", 1, true) then return nil end  -- nearly all names in C
  if not name:find ":%d+%)?$" and not name:find ":%d+%)? %(%d+%)$" then return nil end
  local text, number = name:match "^(.*:%d+%)?) %((%d+)%)$"
  text, number = text or name, tonumber(number or 1)
  local stem, line = text:match "^(.-) %(.*:(%d+)%)$"
  if not stem then stem, line = text:match "^(function at .*):(%d+)$" end
  if stem then return stem, tonumber(line), number end
end

-- Returns the names without lines of functions whose names have one, as a set.
local function stems_of(...)
  local stems = {}
  for _, list in ipairs { ... } do
    for _, f in ipairs(list) do
      local stem = parse(f.name)
      if stem then stems[stem] = true end
    end
  end
  return stems
end

-- Returns groups of functions by name and file: arrays of tables with the function `f`,
-- its `line`, or nil, and its `number`, in the order of the lines. Also returns the other
-- functions.
local function groups_of(list, stems)
  local groups, others = {}, {}
  for _, f in ipairs(list) do
    local stem, line, number = parse(f.name)
    stem = stem or stems[f.name] and f.name
    if stem then
      local key = stem .. "\0" .. (f.file and base_name(f.file) or "")
      groups[key] = groups[key] or {}
      table.insert(groups[key], { f = f, line = line or f.line, number = number or 1 })
    else
      others[#others + 1] = f
    end
  end
  for _, group in pairs(groups) do
    table.sort(group, function(a, b)
      if a.line ~= b.line then return (a.line or 0) < (b.line or 0) end
      return a.number < b.number
    end)
  end
  return groups, others
end

-- Pairs the functions of two groups: in order, if there are as many; otherwise, those of
-- the same line.
local function pair_group(old, new, pair)
  if #old == #new then
    for i, entry in ipairs(old) do pair(entry.f, new[i].f) end
    return
  end
  local by_place = {}
  local function place_of(entry)
    return entry.line and ("%d %d"):format(entry.line, entry.number)
  end
  for _, entry in ipairs(new) do by_place[place_of(entry) or entry] = entry end
  for _, entry in ipairs(old) do
    local place = place_of(entry)
    local same = place and by_place[place]
    if same then by_place[place] = nil end
    pair(entry.f, same and same.f)
  end
  for _, entry in pairs(by_place) do pair(nil, entry.f) end
end

--- Pairs such functions.
-- @tparam {table,...} old_list functions (see gprof.analysis.matching)
-- @tparam {table,...} new_list
-- @tparam function pair called with each old function and the matching new one; one of
--   them is nil if there is no match
-- @treturn {table,...} the other functions of `old_list`
-- @treturn {table,...} those of `new_list`
function placed_names.pair(old_list, new_list, pair)
  local stems = stems_of(old_list, new_list)
  if not next(stems) then return old_list, new_list end
  local old, old_others = groups_of(old_list, stems)
  local new, new_others = groups_of(new_list, stems)
  for key, group in pairs(old) do pair_group(group, new[key] or {}, pair) end
  for key, group in pairs(new) do
    if not old[key] then pair_group({}, group, pair) end
  end
  return old_others, new_others
end

return placed_names
