--- Corrects the samples of a Lua program whose calls were counted: takes out the time
-- that counting took.
--
-- Samples that find the hook running are known. But the interpreter takes time for it,
-- too, for a call and its return: measured when recording starts (scr_measure_costs), for
-- Lua and C functions. Most of it is in the samples of the caller, where the interpreter
-- enters the function and goes on after it. So if n calls that cost c enter a function on
-- a call path, and it makes m calls there that cost d, its samples on this path are too
-- many by
--
--     rate * (n * c * (1 - CALLER) + m * d * CALLER)
--
-- That is taken out of them, at most all. Fractions, and what is more than all, are taken
-- out of the function's samples on other paths. The lines of a path lose equal parts.
-- If lines were counted, each line first loses what its executions have taken.
--
-- @internal gprof.format.hook_cost
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = require "gprof.format.sorted"

local hook_cost = {}

-- Measured with small functions whose time without hooks is known from samples alone.
local CALLER <const> = 0.7

-- Takes ticks out of the samples of a path, or fewer. Returns how many.
local function take(path, ticks)
  local before, taken, sum = 0, 0, path.ticks
  ticks = math.min(ticks, sum)
  for _, sample in ipairs(sum > 0 and path or {}) do
    before = before + sample.count
    local part = ticks * before // sum - taken
    sample.count, taken = sample.count - part, taken + part
  end
  path.ticks = sum - ticks
  return ticks
end

-- Returns the paths by context: the `cost` of calls that enter or leave it, its samples,
-- and the sum of their `ticks`.
local function paths_of(records, of, costs)
  local paths = setmetatable({}, { __index = function(all, context)
    all[context] = { cost = 0, ticks = 0 }
    return all[context]
  end })
  for _, record in ipairs(records) do
    local path = paths[record.context]
    if record.is_call then
      local callee, f = paths[record.entered], of[record.entered]
      local cost = record.count * (f and not f.source and costs.c_call or costs.call)
      path.cost = path.cost + CALLER * cost
      callee.cost = callee.cost + (1 - CALLER) * cost
    else
      path[#path + 1], path.ticks = record, path.ticks + record.count
    end
  end
  return setmetatable(paths, nil)
end

local function key_of(f, line) return f.source and ("%s\0%d"):format(f.source, line) end

-- Returns the samples of each line, with the sum of their `ticks`. Zones have samples in
-- lines of other functions: lines are those of a source.
local function lines_of(records, of)
  local lines = {}
  for _, record in ipairs(records) do
    local f = not record.is_call and of[record.context]
    local key = f and key_of(f, record.line)
    if key then
      local line = lines[key] or { ticks = 0 }
      line[#line + 1], line.ticks = record, line.ticks + record.count
      lines[key] = line
    end
  end
  return lines
end

-- Takes the time of counting executions out of lines. Returns the ticks that were taken
-- out, and those still due, by function.
local function correct_lines(records, of, cost)
  local lines, due, sum, seen = lines_of(records, of), {}, 0, {}
  for _, context in ipairs(sorted.keys(of)) do
    local f = of[context]
    for _, number in ipairs(seen[f] and {} or sorted.keys(f.executions)) do
      local wanted = (due[f] or 0) + cost * f.executions[number]
      local line = lines[key_of(f, number)]
      local taken = line and take(line, math.floor(wanted)) or 0
      due[f], sum = wanted - taken, sum + taken
    end
    seen[f] = true
  end
  return sum, due
end

--- Corrects samples.
-- @tparam {table,...} records `context`, `count`; in samples, `line`; and in calls,
--   `is_call` and `entered`, the context of the callee
-- @tparam table of the function of each context
-- @tparam table costs `call`, `c_call` and `line`, of one of them, in ticks; 0 if not
--   known
-- @treturn integer the ticks that were taken out
function hook_cost.correct(records, of, costs)
  local sum, due = correct_lines(records, of, costs.line)
  local paths = paths_of(records, of, costs)
  for pass = 1, 2 do
    for _, context in ipairs(sorted.keys(paths)) do
      local f, path = of[context], paths[context]
      if f then
        local wanted = (due[f] or 0) + (pass == 1 and path.cost or 0)
        local taken = take(path, math.floor(wanted))
        due[f], sum = wanted - taken, sum + taken
      end
    end
  end
  return sum
end

return hook_cost
