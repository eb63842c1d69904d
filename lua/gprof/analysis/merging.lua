--- Merges runs of one program that were exported apart. They may be from several
-- directories, and each may lack functions that did not run. So functions of the same
-- name match only if their files do.
--
-- Functions are as in gprof.analysis.matching.
--
-- @internal gprof.analysis.merging
-- SPDX-License-Identifier: GPL-3.0-or-later

local matching = require "gprof.analysis.matching"

local merging = {}

-- Returns the highest count of two groups of runs; nil if neither is a baseline.
local function highest_of(count, most, was, is, old_runs, new_runs)
  if not (was[most] or is[most]) then return nil end
  local old, new = was[most] or was[count] or 0, is[most] or is[count] or 0
  return math.max(old / old_runs, new / new_runs) * (old_runs + new_runs)
end

local NONE <const> = { count = 0 }

-- Returns the sum of a function of two groups of runs, one of which may lack it. The
-- spread between runs is not a sum.
local function merge_function(was, is, old_runs, new_runs)
  local sum = matching.join { was or is, was and is }
  was, is = was or NONE, is or NONE
  for count, most in pairs(matching.highest) do
    sum[most] = highest_of(count, most, was, is, old_runs, new_runs)
  end
  for _, spread in ipairs { "self_spread", "total_spread" } do
    local one, other = was[spread], is[spread]
    sum[spread] = (one or other) and math.max(one or 0, other or 0)
  end
  sum.count = math.max(was.count, is.count)
  return sum
end

-- Returns the file of the function "main", nil if it is unknown.
local function main_file(functions)
  for _, f in ipairs(functions) do
    if f.name == "main" then return f.file end
  end
end

-- Returns the part of a path before the last components that another path also has; nil
-- if they have none in common.
local function root_of(path, other)
  local common
  local others = matching.endings(other)
  for i, ending in ipairs(matching.endings(path)) do
    if ending ~= others[i] then break end
    common = ending
  end
  return common and path:sub(1, #path - #common)
end

-- Returns functions with their files as they would be below `other` instead of `root`.
local function placed(functions, root, other)
  if root == other then return functions end
  local list = {}
  for i, f in ipairs(functions) do
    local file = f.file
    if file and file:sub(1, #root) == root and (root ~= "" or file:sub(1, 1) ~= "/") then
      f = matching.join { f }
      f.file = other .. file:sub(#root + 1)
    end
    list[i] = f
  end
  return list
end

-- Returns groups of runs to merge. Directories are compared by the file of "main": the
-- groups of which it is known are `placed`, and have files in the directory of the first.
local function groups_of(sides)
  local groups, first = {}, nil
  for i, side in ipairs(sides) do
    local functions, main = side.functions, main_file(side.functions)
    first = first or main
    local root = main and root_of(main, first)
    if root then functions = placed(functions, root, root_of(first, main)) end
    groups[i] = { functions = functions, runs = side.runs, placed = root ~= nil }
  end
  return groups
end

-- Returns the files of functions, each as a function.
local function files_of(functions)
  local files, seen = {}, {}
  for _, f in ipairs(functions) do
    if f.file and not seen[f.file] then
      seen[f.file] = true
      files[#files + 1] = { name = "", file = f.file }
    end
  end
  return files
end

-- Returns a function that returns the same text for functions of the same file: its path
-- or, if the directories are unknown, a path with the longest common ending.
local function file_matcher(old, new)
  if old.placed and new.placed then return function(f) return f.file end end
  local file_of = {}
  local old_files, new_files = files_of(old.functions), files_of(new.functions)
  matching.pair_by_file(old_files, new_files, function(was, is)
    local file = (was or is).file
    for _, side in ipairs { was or is, is } do
      for _, f in ipairs(matching.members(side)) do file_of[f.file] = file end
    end
  end)
  return function(f) return file_of[f.file] end
end

local function merge_two(old, new)
  local functions = {}
  matching.pair(old.functions, new.functions, function(was, is)
    functions[#functions + 1] = merge_function(was, is, old.runs, new.runs)
  end, file_matcher(old, new))
  return { functions = functions, runs = old.runs + new.runs,
    placed = old.placed and new.placed }
end

--- Sums the functions of several groups of runs of a program.
-- @tparam {table,...} sides each with its `functions` and number of `runs`
-- @treturn {table,...} functions
function merging.merge(sides)
  local groups = groups_of(sides)
  while groups[2] do
    local merged = {}
    for i = 1, #groups, 2 do  -- by twos: the sum of many grows only a few times
      local one, other = groups[i], groups[i + 1]
      merged[#merged + 1] = other and merge_two(one, other) or one
    end
    groups = merged
  end
  return groups[1].functions
end

return merging
