--- Whom the time of a function goes up to: its callers, each with its part of the calls.
--
-- It is taken for granted, as it is in the call graph, that all calls of a function cost
-- the same, whoever they are for. What is called within a cycle, in what order, is not
-- known: the cycle as a whole stands above its members, and has the callers of all.
--
-- @internal gprof.analysis.callers
-- SPDX-License-Identifier: GPL-3.0-or-later

local callers = {}

-- The cycles of members, by number; nil for others.
local function cycles_of(profile)
  local cycles = {}
  for cycle in profile:cycles() do
    for id in cycle:members(nil, "id") do cycles[id] = cycle.id end
  end
  return cycles
end

--- Makes the graph by which time goes up.
-- @tparam profile profile by function
-- @treturn table `stay`: the numbers of functions whose time is not to be handed on, as a
--   set; `cycles`: the cycles of members, by number, nil for others; `above`: by number
--   of a function or cycle an array of { id, part }, each caller once, with its part of
--   the calls: nil if there are none, or if the time is not to be handed on
function callers.of(profile)
  local above, places, stay, cycles = {}, {}, {}, cycles_of(profile)
  for id, share in profile:functions("address", "id", "share") do
    stay[id] = share == 0 or nil
  end
  for caller, callee, count, of, recursive in
    profile:arcs("id", "caller_id", "callee_id", "count", "of", "recursive")
  do
    if not recursive and count > 0 and not stay[callee] then
      local node = cycles[callee] or callee
      above[node], places[node] = above[node] or {}, places[node] or {}
      local list, place = above[node], places[node]
      place[caller] = place[caller] or #list + 1
      local entry = list[place[caller]] or { id = caller, part = 0 }
      entry.part, list[place[caller]] = entry.part + count / of, entry
    end
  end
  return { above = above, stay = stay, cycles = cycles }
end

return callers
