--- The callers to which a function's time propagates, with their fractions of the calls.
--
-- As in the call graph, all calls of a function are assumed to cost the same. The order
-- of calls within a cycle is unknown, so the cycle is one node above its members. The
-- callers of the cycle are the callers of all members.
--
-- @internal gprof.analysis.callers
-- SPDX-License-Identifier: GPL-3.0-or-later

local callers = {}

-- Maps the id of each member of a cycle to the id of the cycle.
local function cycles_of(profile)
  local cycles = {}
  for cycle in profile:cycles() do
    for id in cycle:members(nil, "id") do cycles[id] = cycle.id end
  end
  return cycles
end

--- Makes the graph along which time propagates from callees to callers.
-- @tparam profile profile by function
-- @treturn table with the fields
--
--   - `stay`: set of the ids of functions whose time is not propagated;
--   - `cycles`: maps the id of each member of a cycle to the id of the cycle;
--   - `above`: maps the id of a function or cycle to an array of { id, part }: each
--     caller once, with its fraction of the calls. There is no array if there is no
--     caller, or if the time is not propagated
function callers.of(profile)
  local above, places, stay, cycles = {}, {}, {}, cycles_of(profile)
  -- Adds a part of the time of a cycle to a caller, which may call several members.
  local function add_to_cycle(cycle, caller, part)
    above[cycle], places[cycle] = above[cycle] or {}, places[cycle] or {}
    local list, place = above[cycle], places[cycle]
    place[caller] = place[caller] or #list + 1
    local entry = list[place[caller]] or { id = caller, part = 0 }
    entry.part, list[place[caller]] = entry.part + part, entry
  end
  for id, share in profile:functions("address", "id", "share") do
    stay[id] = share == 0 or nil
  end
  for caller, callee, count, of, recursive in
    profile:arcs("id", "caller_id", "callee_id", "count", "of", "recursive")
  do
    if not recursive and count > 0 and not stay[callee] then
      local list = above[callee]
      if cycles[callee] then
        add_to_cycle(cycles[callee], caller, count / of)
      elseif list then
        list[#list + 1] = { id = caller, part = count / of }
      else
        above[callee] = { { id = caller, part = count / of } }
      end
    end
  end
  return { above = above, stay = stay, cycles = cycles }
end

return callers
