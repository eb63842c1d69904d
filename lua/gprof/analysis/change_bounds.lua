--- How far total times can be trusted in a comparison.
--
-- Unless it was measured, the time of a function's callees is an estimate, which depends
-- on who else calls them: a single new call can move it from one caller to another, and
-- into a cycle. The true total time lies between bounds (see `profile:find_limits` and
-- doc/inclusive-time.md), and so does its change.
--
-- @internal gprof.analysis.change_bounds
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local change_bounds = {}

-- An estimate is as good as a measurement if its bounds are this part of it apart.
local CLOSE <const> = 0.1

-- Means of counts, and times, have at least this many digits in files.
local DIGITS <const> = 1e-5

-- Sets the bounds of a function. The estimate of a cycle's member leaves out the rest of
-- the cycle, and may be below what is certain.
local function set_bounds(f, least, most)
  f.least_ticks, f.most_ticks = least, most
  f.whole_ticks = math.min(math.max(f.whole_ticks, least), most)
end

local function set_exact(functions)
  for _, f in ipairs(functions) do set_bounds(f, f.whole_ticks, f.whole_ticks) end
end

--- Sets the bounds of functions of a profile: their fields `least_ticks` and
-- `most_ticks`, between which `whole_ticks` lies afterwards.
-- @tparam {table,...} functions each with `id` and `whole_ticks`
-- @tparam profile profile
function change_bounds.set_from_profile(functions, profile)
  if profile.exact or not (profile.rate and profile.data.has_arcs) then
    return set_exact(functions)
  end
  profile:find_limits()
  local ids = {}
  for i, f in ipairs(functions) do ids[i] = f.id end
  local least, most = profile:columns(ids, "least_ticks", "most_ticks")
  for i, f in ipairs(functions) do set_bounds(f, least[i], most[i]) end
end

-- Returns the callers of each function, by number, except the function itself.
local function callers_by_callee(callers, callees)
  local lists = {}
  for i, callee in ipairs(callees) do
    if callers[i] ~= callee then
      lists[callee] = lists[callee] or {}
      table.insert(lists[callee], callers[i])
    end
  end
  return lists
end

-- Returns the numbers of functions without recorded calls, which may have been compiled
-- without -pg. `main`, and what leads to it, is left out: other functions do not call it.
local function uncounted(functions, callers, callees)
  local callers_of, stack, leads = callers_by_callee(callers, callees), {}, {}
  for i, f in ipairs(functions) do
    if f.name == "main" then stack[#stack + 1] = i end
  end
  while stack[1] do
    local i = table.remove(stack)
    local more = not leads[i] and callers_of[i] or {}
    leads[i] = true
    table.move(more, 1, #more, #stack + 1, stack)
  end
  local found = {}
  for i, f in ipairs(functions) do
    local is_known = leads[i] or callers_of[i] or f.calls > 0
    if not is_known then found[#found + 1] = i end
  end
  return found
end

-- Adds the unknown function: any function may call it, and it calls those without
-- recorded calls. Its own call is without a caller.
local function add_unknown(found, self, calls, callers, callees, counts)
  local count, unknown = #self, #self + 1
  if not found[1] then return end
  self[unknown], calls[unknown] = 0, 1
  local function add(caller, callee)
    local i = #counts + 1
    callers[i], callees[i], counts[i] = caller, callee, 0
  end
  for f = 1, count do add(f, unknown) end
  for _, f in ipairs(found) do add(unknown, f) end
end

--- Sets the bounds of functions that were read from a file.
-- @tparam {table,...} functions each with `ticks`, `whole_ticks` and `calls`
-- @tparam function arcs returns an iterator over calling functions, called functions and
--   numbers of calls
-- @tparam boolean exact whether total times were measured
function change_bounds.set(functions, arcs, exact)
  if exact then return set_exact(functions) end
  local number, self, calls = {}, {}, {}
  local callers, callees, counts = {}, {}, {}
  for i, f in ipairs(functions) do
    number[f], self[i], calls[i] = i, f.ticks, f.calls * (1 - DIGITS)
  end
  for caller, callee, count in arcs() do
    if number[caller] and number[callee] then
      local i = #counts + 1
      callers[i], callees[i], counts[i] = number[caller], number[callee], count
    end
  end
  add_unknown(uncounted(functions, callers, callees), self, calls, callers, callees,
    counts)
  local least, most = core.call_bounds(self, calls, callers, callees, counts)
  for i, f in ipairs(functions) do set_bounds(f, least[i], most[i]) end
end

--- Returns the least and the most that the total time of a function can be. Samples
-- without complete call paths may be of its callees.
-- @tparam table f with bounds
-- @tparam table side `samples`, ticks per unit of time and run; `total`, the time of a
--   run; `path_share`, see gprof.analysis.path_share
-- @treturn number
-- @treturn number
function change_bounds.range(f, side)
  local least, most = f.least_ticks / side.samples, f.most_ticks / side.samples
  if side.path_share == 1 then return least, most end
  local lacking = (1 - side.path_share) * side.total
  return least, math.max(most, math.min(most + lacking, side.total))
end

--- Whether the bounds of a change of a total time are close together.
-- @tparam number old time
-- @tparam number new time
-- @tparam number least
-- @tparam number most
-- @treturn boolean
function change_bounds.are_close(old, new, least, most)
  return most - least <= CLOSE * math.max(old, new)
end

--- Returns what is certain of the change of a total time.
-- @tparam number old time per run
-- @tparam number new time per run
-- @tparam table was the old function, with bounds
-- @tparam table is the new function
-- @tparam table before old side, as for `change_bounds.range`
-- @tparam table now new side
-- @treturn boolean `comparable`: whether the bounds tell anything: they are close
--   together, or agree that the time grew, or shrank
-- @treturn number `least` and
-- @treturn number `most`, between which the true change lies
-- @treturn number `old_most`, the most that the old time can be
-- @treturn number `new_least`, the least that the new time can be
function change_bounds.compare(old, new, was, is, before, now)
  local old_least, old_most = change_bounds.range(was, before)
  local new_least, new_most = change_bounds.range(is, now)
  local least, most = new_least - old_most, new_most - old_least
  local comparable = least > 0 or most < 0 or
    change_bounds.are_close(old, new, least, most)
  return comparable, least, most, old_most, new_least
end

return change_bounds
