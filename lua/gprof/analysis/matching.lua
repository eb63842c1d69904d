--- Matches the functions of two programs: by name, and by source file if several
-- functions have the same name.
--
-- Builds may be in different directories, so files are matched by the last components of
-- their paths: the longest common ending wins. If the file of a function is unknown, all
-- functions with its name are summed.
--
-- A function and its clones are summed if the programs have different clones of it (see
-- gprof.analysis.clones).
--
-- A function is a table with the fields `name`, `file` and `line` (or nil), and the
-- amounts listed below; amounts that are missing count as 0. A function that stands for
-- several has them in `members`; if the file of any of them is unknown, so is its file.
--
-- @internal gprof.analysis.matching
-- SPDX-License-Identifier: GPL-3.0-or-later

local clones = require "gprof.analysis.clones"
local escape = require "gprof.format.escape"
local placed_names = require "gprof.analysis.placed_names"

local matching = {}

local MAX_COMPONENTS <const> = 32  -- compared components of a path

local amounts <const> = { "ticks", "whole_ticks", "least_ticks", "most_ticks", "calls",
  "most_calls", "self_calls", "most_self_calls", "blocks", "most_blocks", "self_spread",
  "total_spread", "inner_calls", "inner_ticks", "count" }

--- The fields with the highest count of any run of a baseline, multiplied by the number
-- of runs.
matching.highest = { calls = "most_calls", self_calls = "most_self_calls",
  blocks = "most_blocks" }

--- Returns the functions that a function stands for: itself, or those it is the sum of.
-- @tparam table f
-- @treturn {table,...}
function matching.members(f)
  return f.members or { f }
end

-- Adds a function or clone to a sum. The sum gets the shortest name, which is the name of
-- the function and not of a clone.
local function add(sum, f)
  if #f.name < #sum.name then sum.name, sum.line = f.name, f.line end
  if not f.file then sum.file = nil end
  for _, amount in ipairs(amounts) do
    if f[amount] then sum[amount] = (sum[amount] or 0) + f[amount] end
  end
  local members = matching.members(f)
  table.move(members, 1, #members, #sum.members + 1, sum.members)
end

--- Returns the sum of functions, as one function; nil if the list is empty.
-- @tparam {table,...} functions
-- @treturn table|nil
function matching.join(functions)
  local sum
  for _, f in ipairs(functions) do
    sum = sum or { name = f.name, file = f.file, line = f.line, members = {} }
    add(sum, f)
  end
  return sum
end

-- Sums the functions of each file.
local function join_by_file(functions)
  local by_file, list = {}, {}
  for _, f in ipairs(functions) do
    local file = f.file or ""
    if by_file[file] then
      add(by_file[file], f)
    else
      by_file[file] = matching.join { f }
      list[#list + 1] = by_file[file]
    end
  end
  return list
end

-- Returns a copy of a function or clone without the calls that it gets from other clones
-- of the same function, and without the time of these calls. A sum over all clones would
-- count both twice.
local function without_inner(f)
  if not f.inner_calls then return f end
  local rest = matching.join { f }
  rest.whole_ticks = math.max(f.whole_ticks - f.inner_ticks, 0)
  rest.least_ticks = math.max(f.least_ticks - f.inner_ticks, 0)
  rest.calls = math.max(f.calls - f.inner_calls, 0)
  rest.most_calls = f.most_calls and math.max(f.most_calls - f.inner_calls, 0)
  rest.inner_calls, rest.inner_ticks = nil, nil
  return rest
end

-- Groups functions by name. Returns `first`, which maps each name to the first function
-- of that name; `several`, which maps each name of more than one function to an array of
-- these functions; and `names`, in the order of the functions. Names are escaped as in
-- exported profiles, which are UTF-8. The clones of a function in the set `joined` are
-- grouped under the function's name.
local function by_name(functions, joined)
  local names, firsts, several = {}, {}, {}
  for _, f in ipairs(functions) do
    local stem = joined and (clones.stem(f.name) or f.name)
    local is_joined = joined and joined[stem]
    local name = escape.utf8(is_joined and stem or f.name)
    if is_joined then f = without_inner(f) end
    local first, others = firsts[name], several[name]
    if not first then
      names[#names + 1], firsts[name] = name, f
    elseif others then
      others[#others + 1] = f
    else
      several[name] = { first, f }
    end
  end
  return { names = names, first = firsts, several = several }
end

-- Returns the functions with a given name, one for each file.
local function group_of(side, name)
  local several = side.several[name]
  return several and join_by_file(several) or { side.first[name] }
end

--- Returns the endings of a path: its last component, its last two components, and so on.
-- @tparam string path
-- @treturn {string,...}
function matching.endings(path)
  local list, reversed, slash = {}, path:reverse(), 0
  repeat
    slash = reversed:find("/", slash + 1, true)
    list[#list + 1] = path:sub(slash and #path - slash + 2 or 1)
  until not slash or #list == MAX_COMPONENTS
  return list
end

local function has_unknown_file(functions)
  for _, f in ipairs(functions) do
    if not f.file then return true end
  end
  return false
end

-- Groups functions by the result of `key`; leaves out functions whose key is nil. Returns
-- the groups, and the keys in the order of the functions.
local function group_by(key, functions)
  local lists, keys = {}, {}
  for _, f in ipairs(functions) do
    local k = key(f)
    if k and not lists[k] then
      lists[k] = {}
      keys[#keys + 1] = k
    end
    if k then table.insert(lists[k], f) end
  end
  return lists, keys
end

-- Pairs functions with equal keys; returns the unpaired ones of both sides.
local function pair_by(key, old_list, new_list, pair)
  local old_groups, keys = group_by(key, old_list)
  local new_groups, paired = group_by(key, new_list), {}
  for _, k in ipairs(keys) do
    if new_groups[k] then
      pair(matching.join(old_groups[k]), matching.join(new_groups[k]))
      for _, list in ipairs { old_groups[k], new_groups[k] } do
        for _, f in ipairs(list) do paired[f] = true end
      end
    end
  end
  local function rest(functions)
    local left = {}
    for _, f in ipairs(functions) do
      if not paired[f] then left[#left + 1] = f end
    end
    return left
  end
  return rest(old_list), rest(new_list)
end

-- Returns a table from each function to the list of `endings` of its file name, which is
-- escaped as in exported profiles, and the length of the longest list.
local function all_endings(...)
  local by_function, most = {}, 0
  for _, functions in ipairs { ... } do
    for _, f in ipairs(functions) do
      by_function[f] = matching.endings(escape.utf8(f.file))
      most = math.max(most, #by_function[f])
    end
  end
  return by_function, most
end

-- Passes on functions that have no match.
local function pair_with_none(old_list, new_list, pair)
  for _, f in ipairs(old_list) do pair(f, nil) end
  for _, f in ipairs(new_list) do pair(nil, f) end
end

--- Pairs functions with the same name by file: the longest common endings first.
-- @tparam {table,...} old_list
-- @tparam {table,...} new_list
-- @tparam function pair as for `matching.pair`
function matching.pair_by_file(old_list, new_list, pair)
  old_list, new_list = pair_by(function(f) return f.file end, old_list, new_list, pair)
  local by_function, most = all_endings(old_list, new_list)
  for count = most, 1, -1 do
    local function ending_of(f) return by_function[f][count] end
    old_list, new_list = pair_by(ending_of, old_list, new_list, pair)
  end
  pair_with_none(old_list, new_list, pair)
end

-- Pairs functions with the same name. If each side has only one, the files may differ:
-- the function may have moved. In runs of one program, `file_of` tells whether the files
-- of two functions are the same: either run may lack one of the functions.
local function pair_group(old_list, new_list, pair, file_of)
  local one_each = not file_of and #old_list == 1 and #new_list == 1
  if one_each or has_unknown_file(old_list) or has_unknown_file(new_list) then
    pair(matching.join(old_list), matching.join(new_list))
  elseif file_of then
    old_list, new_list = pair_by(file_of, old_list, new_list, pair)
    pair_with_none(old_list, new_list, pair)
  else
    matching.pair_by_file(old_list, new_list, pair)
  end
end

-- A fast path for nearly all names: at most one function on each side.
local function pair_name(old, new, name, pair, file_of)
  local was, is = old.first[name], new.first[name]
  local is_simple = not file_of or not was or not is or file_of(was) == file_of(is)
  if old.several[name] or new.several[name] or not is_simple then
    pair_group(group_of(old, name), group_of(new, name), pair, file_of)
  else
    pair(was, is)
  end
end

--- Pairs the functions of two programs, or of two runs of one program. Runs of one
-- program have the same clones, even if some of these did not run.
-- @tparam {table,...} old_list functions of the old program
-- @tparam {table,...} new_list functions of the new program
-- @tparam function pair called with each old function and the matching new one; one of
--   them is nil if there is no match
-- @tparam[opt] function file_of for runs of one program: returns the same for functions
--   of the same file
function matching.pair(old_list, new_list, pair, file_of)
  old_list, new_list = placed_names.pair(old_list, new_list, pair, file_of)
  local joined = not file_of and clones.differing(old_list, new_list)
  local old, new = by_name(old_list, joined), by_name(new_list, joined)
  for _, name in ipairs(old.names) do pair_name(old, new, name, pair, file_of) end
  for _, name in ipairs(new.names) do
    if not old.first[name] then pair_name(old, new, name, pair, file_of) end
  end
end

return matching
