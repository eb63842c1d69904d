--- Pairs functions of two profiles of a Lua program whose names contain a line, such as
-- "step (work.lua:7)": functions of one file with the same name, and functions without a
-- name (see gprof.scripts.script_functions). The lines of a changed program differ.
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
-- its `line`, or nil, and its `number`, in the order of files and lines. Also returns the
-- other functions.
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
      local file, other = a.f.file or "", b.f.file or ""
      if file ~= other then return file < other end
      if a.line ~= b.line then return (a.line or 0) < (b.line or 0) end
      return a.number < b.number
    end)
  end
  return groups, others
end

local function line_of(entry)
  return entry.line and ("%d %d"):format(entry.line, entry.number) or ""
end

-- Pairs entries with equal keys, in order; returns the others of both lists.
local function pair_by(key, old, new, pair)
  local lists, paired, old_rest, new_rest = {}, {}, {}, {}
  for i = #new, 1, -1 do  -- the last one of a list is the first one to be taken
    local k = key(new[i])
    lists[k] = lists[k] or {}
    table.insert(lists[k], new[i])
  end
  for _, entry in ipairs(old) do
    local same = table.remove(lists[key(entry)] or {})
    if same then
      paired[same] = true
      pair(entry.f, same.f)
    else
      old_rest[#old_rest + 1] = entry
    end
  end
  for _, entry in ipairs(new) do
    if not paired[entry] then new_rest[#new_rest + 1] = entry end
  end
  return old_rest, new_rest
end

local function pair_in_order(old, new, pair)
  for i, entry in ipairs(old) do pair(entry.f, new[i].f) end
end

-- Pairs the functions of two groups: in order, if there are as many; otherwise, those of
-- the same line, first of those in the same file. Runs of one program match only in the
-- same file. Baselines lack the lines of functions whose names have none.
local function pair_group(old, new, pair, file_of)
  if #old == #new and not file_of then return pair_in_order(old, new, pair) end
  local function file_key(entry)
    return file_of and file_of(entry.f) or entry.f.file or ""
  end
  local function place_of(entry) return line_of(entry) .. file_key(entry) end
  old, new = pair_by(place_of, old, new, pair)
  if not file_of then old, new = pair_by(line_of, old, new, pair) end
  local one_each = #old == 1 and #new == 1 and not (old[1].line and new[1].line)
  if one_each and (not file_of or file_key(old[1]) == file_key(new[1])) then
    return pair_in_order(old, new, pair)
  end
  for _, entry in ipairs(old) do pair(entry.f, nil) end
  for _, entry in ipairs(new) do pair(nil, entry.f) end
end

--- Pairs such functions.
-- @tparam {table,...} old_list functions (see gprof.analysis.matching)
-- @tparam {table,...} new_list
-- @tparam function pair called with each old function and the matching new one; one of
--   them is nil if there is no match
-- @tparam[opt] function file_of as for `matching.pair`
-- @treturn {table,...} the other functions of `old_list`
-- @treturn {table,...} those of `new_list`
function placed_names.pair(old_list, new_list, pair, file_of)
  local stems = stems_of(old_list, new_list)
  if not next(stems) then return old_list, new_list end
  local old, old_others = groups_of(old_list, stems)
  local new, new_others = groups_of(new_list, stems)
  for key, group in pairs(old) do pair_group(group, new[key] or {}, pair, file_of) end
  for key, group in pairs(new) do
    if not old[key] then pair_group({}, group, pair, file_of) end
  end
  return old_others, new_others
end

return placed_names
