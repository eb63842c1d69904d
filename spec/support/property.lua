-- Property-based testing: checks a property for many random cases. A failing case is shrunk before it is reported.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"

local property = {}

local MOST_TRIES <const> = 2000 -- limit on attempts to shrink a case

-- Returns the error message of a case, or nil.
local function problem_of(check, case)
  local done, problem = pcall(check, case)
  if done then return nil end
  return type(problem) == "table" and tostring(problem.message or problem[1]) or tostring(problem)
end

local function sorted_keys(list)
  local keys = {}
  for key in pairs(list) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  return keys
end

-- Removes the elements that the failure does not need from a list of tables, last element first.
local function drop(list, fails)
  for i = #list, 1, -1 do
    local taken = table.remove(list, i)
    if not fails() then table.insert(list, i, taken) end
  end
end

-- Shrinks a number: to 0, or by halving.
local function halve(list, key, fails)
  local before = list[key]
  for _, smaller in ipairs { 0, before // 2 } do
    list[key] = smaller
    if smaller < before and fails() then return end
  end
  list[key] = before
end

local function shrink(part, numbers, fails)
  if type(part[1]) == "table" then drop(part, fails) end
  for _, key in ipairs(sorted_keys(part)) do
    local value = part[key]
    if type(value) == "table" then
      shrink(value, numbers or key == "bins", fails)
    elseif math.type(value) == "integer" and value > 0 and (key == "count" or numbers) then
      halve(part, key, fails)
    end
  end
end

-- Returns the kind of an error: its first line without numbers.
local function kind_of(problem)
  return (problem:match("[^\n]*"):gsub("%d+", "0"))
end

-- Returns the smallest case found that fails with the same kind of error, and its error.
local function smallest(check, case, problem)
  local kind, left, found = kind_of(problem), MOST_TRIES
  local function fails()
    left = left - 1
    local now = left > 0 and problem_of(check, case)
    if not now or kind_of(now) ~= kind then return false end
    problem, found = now, true
    return true
  end
  repeat
    found = false
    shrink(case, false, fails)
  until not found or left <= 0
  return case, problem
end

--- Formats a case as a Lua expression on one line.
-- @param value table, string, number or boolean
-- @treturn string
function property.shown(value)
  if type(value) ~= "table" then
    return math.type(value) == "integer" and ("0x%x"):format(value) or ("%q"):format(value)
  end
  local parts = {}
  for i, key in ipairs(sorted_keys(value)) do
    local name = key == i and "" or type(key) == "string" and key .. " = " or ("[%s] = "):format(key)
    parts[i] = name .. property.shown(value[key])
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

--- Checks a property for random cases. The error of a failing case says how to repeat it, and shows the smallest
-- failing case found: with fewer elements in lists of tables, and smaller numbers in `bins` and `count`.
-- @tparam integer first seed of the first case
-- @tparam integer count number of cases, unless GPROF_CASES is set
-- @tparam function make returns a case: tables, whose numbers come from math.random
-- @tparam function check raises an error if the case lacks the property; depends on nothing but the case and does not
--   change it
-- @tparam[opt] integer share run only one in `share` cases
function property.hold(first, count, make, check, share)
  chance.cases(first, count)(function(remark)
    local case = make()
    local problem = problem_of(check, case)
    if not problem then return end
    case, problem = smallest(check, case, problem)
    error(("%s%s\nof %s"):format(remark, problem, property.shown(case)), 0)
  end, share)
end

return property
