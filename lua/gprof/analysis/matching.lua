--- Which functions of two programs are the same one: by name, and by source file where
-- several have a name.
--
-- Builds lie in different directories, so files are the same if their last components
-- are: as many of them as tell those of one name apart. Functions that nothing tells
-- apart, as a file is not known, count as one.
--
-- A function is a table with its `name`, its `file` or nil, and amounts.
--
-- @internal gprof.analysis.matching
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"

local matching = {}

local DEPTH <const> = 32  -- how many components of a path are looked at

local amounts <const> = { "ticks", "whole_ticks", "calls", "count" }

-- Adds a function to another one.
local function add(sum, f)
  for _, amount in ipairs(amounts) do sum[amount] = sum[amount] + f[amount] end
end

-- The sum of some functions; nil if there are none.
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

-- Functions, those of one file as one.
local function by_place(functions)
  local places, list = {}, {}
  for _, f in ipairs(functions) do
    local file = f.file or ""
    if places[file] then
      add(places[file], f)
    else
      places[file] = join { f }
      list[#list + 1] = places[file]
    end
  end
  return list
end

-- Functions by name: the `first` of each, and `several` where there are more; and the
-- `names`, as they were met first. In exported profiles names are in UTF-8, whatever they
-- are.
local function by_name(functions)
  local names, firsts, several = {}, {}, {}
  for _, f in ipairs(functions) do
    local name = escape.utf8(f.name)
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

-- The functions of a name.
local function group_of(side, name)
  local several = side.several[name]
  return several and by_place(several) or { side.first[name] }
end

-- The last component of a path, the last two, and so on.
local function endings(path)
  local list, reversed, slash = {}, path:reverse(), 0
  repeat
    slash = reversed:find("/", slash + 1, true)
    list[#list + 1] = path:sub(slash and #path - slash + 2 or 1)
  until not slash or #list == DEPTH
  return list
end

local function has_unknown_file(functions)
  for _, f in ipairs(functions) do
    if not f.file then return true end
  end
  return false
end

-- Functions by a key that a function makes of them; those without one are left out.
local function sorted_by(key, functions)
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

-- Pairs those up that have the same key; returns what is left over of both sides.
local function pair_by(key, olds, news, pair)
  local old_lists, keys = sorted_by(key, olds)
  local new_lists, paired = sorted_by(key, news), {}
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

-- The endings of the files of functions, by function; and how many the longest path has.
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

-- Pairs functions of one name up by their files, the longest endings in common first.
local function pair_by_file(olds, news, pair)
  olds, news = pair_by(function(f) return f.file end, olds, news, pair)
  local by_function, most = all_endings(olds, news)
  for count = most, 1, -1 do
    olds, news = pair_by(function(f) return by_function[f][count] end, olds, news, pair)
  end
  for _, f in ipairs(olds) do pair(f, nil) end
  for _, f in ipairs(news) do pair(nil, f) end
end

-- Pairs the functions of one name up. One that is alone on both sides may have moved to
-- another file.
local function pair_group(olds, news, pair)
  local one_each = #olds == 1 and #news == 1
  if one_each or has_unknown_file(olds) or has_unknown_file(news) then
    pair(join(olds), join(news))
  else
    pair_by_file(olds, news, pair)
  end
end

-- Nearly all names are of one function on either side, and nothing is to be told apart.
local function pair_name(old, new, name, pair)
  if old.several[name] or new.several[name] then
    pair_group(group_of(old, name), group_of(new, name), pair)
  else
    pair(old.first[name], new.first[name])
  end
end

--- Pairs functions up.
-- @tparam {table,...} olds
-- @tparam {table,...} news
-- @tparam function pair is called with each old one and its new one; nil is in the place
--   of what there is not
function matching.pair(olds, news, pair)
  local old, new = by_name(olds), by_name(news)
  for _, name in ipairs(old.names) do pair_name(old, new, name, pair) end
  for _, name in ipairs(new.names) do
    if not old.first[name] then pair_name(old, new, name, pair) end
  end
end

return matching
