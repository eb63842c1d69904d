--- Matches the functions of two programs: by name, and by source file if several
-- functions have the same name.
--
-- Builds may be in different directories, so files are matched by the last components of
-- their paths: the longest common ending wins. If the file of a function is unknown, all
-- functions with its name are added up.
--
-- A function and its clones are added up if the programs have other clones of it (see
-- gprof.analysis.clones).
--
-- A function is a table: its `name`, its `file` or nil, and amounts.
--
-- @internal gprof.analysis.matching
-- SPDX-License-Identifier: GPL-3.0-or-later

local clones = require "gprof.analysis.clones"
local escape = require "gprof.format.escape"

local matching = {}

local MAX_COMPONENTS <const> = 32  -- of a path that are compared

local amounts <const> = { "ticks", "whole_ticks", "calls", "count" }

-- The shortest name stands for all: it is the function's, not a clone's.
local function add(sum, f)
  if #f.name < #sum.name then sum.name = f.name end
  for _, amount in ipairs(amounts) do sum[amount] = sum[amount] + f[amount] end
end

-- The sum of functions; nil if there are none.
local function join(functions)
  local sum
  for _, f in ipairs(functions) do
    if not sum then
      sum = { name = f.name, file = f.file }
      for _, amount in ipairs(amounts) do sum[amount] = f[amount] end
    else
      add(sum, f)
    end
  end
  return sum
end

-- Adds up the functions of each file.
local function join_by_file(functions)
  local by_file, list = {}, {}
  for _, f in ipairs(functions) do
    local file = f.file or ""
    if by_file[file] then
      add(by_file[file], f)
    else
      by_file[file] = join { f }
      list[#list + 1] = by_file[file]
    end
  end
  return list
end

-- A function or clone without what is counted in the function or another clone, too.
local function without_inner(f)
  if not f.inner_calls then return f end
  return { name = f.name, file = f.file, ticks = f.ticks, count = f.count,
    whole_ticks = math.max(f.whole_ticks - f.inner_ticks, 0),
    calls = math.max(f.calls - f.inner_calls, 0) }
end

-- Functions by name: `first`, the first one of each name; `several`, an array, only if
-- there are more; and `names`, in the order of the functions. Names are escaped as in
-- exported profiles, which are UTF-8. Clones have the names of the functions `joined`.
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

-- The functions with a name, one for each file.
local function group_of(side, name)
  local several = side.several[name]
  return several and join_by_file(several) or { side.first[name] }
end

-- The endings of a path: its last component, its last two components, and so on.
local function endings(path)
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

-- Groups functions by the result of `key`; leaves out those where it is nil. Returns the
-- groups, and the keys in the order of the functions.
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
local function pair_by(key, olds, news, pair)
  local old_lists, keys = group_by(key, olds)
  local new_lists, paired = group_by(key, news), {}
  for _, k in ipairs(keys) do
    if new_lists[k] then
      pair(join(old_lists[k]), join(new_lists[k]))
      for _, list in ipairs { old_lists[k], new_lists[k] } do
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
  return rest(olds), rest(news)
end

-- The endings of the functions' file names, by function; and the largest number of them.
local function all_endings(...)
  local by_function, most = {}, 0
  for _, functions in ipairs { ... } do
    for _, f in ipairs(functions) do
      by_function[f] = endings(f.file)
      most = math.max(most, #by_function[f])
    end
  end
  return by_function, most
end

-- Pairs functions with the same name by file: the longest common endings first.
local function pair_by_file(olds, news, pair)
  olds, news = pair_by(function(f) return f.file end, olds, news, pair)
  local by_function, most = all_endings(olds, news)
  for count = most, 1, -1 do
    olds, news = pair_by(function(f) return by_function[f][count] end, olds, news, pair)
  end
  for _, f in ipairs(olds) do pair(f, nil) end
  for _, f in ipairs(news) do pair(nil, f) end
end

-- Pairs functions with the same name. If each side has only one, the files may differ:
-- the function may have moved.
local function pair_group(olds, news, pair)
  local one_each = #olds == 1 and #news == 1
  if one_each or has_unknown_file(olds) or has_unknown_file(news) then
    pair(join(olds), join(news))
  else
    pair_by_file(olds, news, pair)
  end
end

-- A fast path for nearly all names: at most one function on each side.
local function pair_name(old, new, name, pair)
  if old.several[name] or new.several[name] then
    pair_group(group_of(old, name), group_of(new, name), pair)
  else
    pair(old.first[name], new.first[name])
  end
end

--- Pairs the functions of two programs.
-- @tparam {table,...} olds functions of the old program
-- @tparam {table,...} news functions of the new program
-- @tparam function pair called with each old function and the matching new one; one of
--   them is nil if there is no match
function matching.pair(olds, news, pair)
  local joined = clones.differing(olds, news)
  local old, new = by_name(olds, joined), by_name(news, joined)
  for _, name in ipairs(old.names) do pair_name(old, new, name, pair) end
  for _, name in ipairs(new.names) do
    if not old.first[name] then pair_name(old, new, name, pair) end
  end
end

return matching
