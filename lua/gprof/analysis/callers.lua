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

--- Makes the graph along which time propagates from callees to callers. The callers are
-- rows: arrays that are indexed by the number of a row.
-- @tparam profile profile by function
-- @treturn table with the fields
--
--   - `stay`: set of the ids of functions whose time is not propagated;
--   - `cycles`: maps the id of each member of a cycle to the id of the cycle;
--   - `last`: maps the id of a function or cycle to its last row. There is none if there
--     is no caller, or if the time is not propagated;
--   - `caller`: the id of a caller. A function has a row for each of its callers;
--   - `part`: this caller's fraction of the calls;
--   - `before`: the row before, of the same function; 0 in its first row
function callers.of(profile)
  local last, caller_ids, parts, before, rows = {}, {}, {}, {}, 0
  local stay, cycles, known = {}, cycles_of(profile), {}
  -- Adds a part of the time of a cycle to a caller, which may call several members.
  -- Returns whether the caller has a row.
  local function add_to_cycle(cycle, caller, part)
    known[cycle] = known[cycle] or {}
    local row = known[cycle][caller]
    if row then parts[row] = parts[row] + part end
    known[cycle][caller] = row or rows + 1
    return row ~= nil
  end
  for id, share in profile:functions("address", "id", "share") do
    stay[id] = share == 0 or nil
  end
  for caller, callee, count, of, recursive in
    profile:arcs("id", "caller_id", "callee_id", "count", "of", "recursive")
  do
    if not recursive and count > 0 and not stay[callee] then
      local cycle, part = cycles[callee], count / of
      local id = cycle or callee
      if not (cycle and add_to_cycle(cycle, caller, part)) then
        rows = rows + 1
        caller_ids[rows], parts[rows], before[rows] = caller, part, last[id] or 0
        last[id] = rows
      end
    end
  end
  return { last = last, caller = caller_ids, part = parts, before = before, stay = stay,
    cycles = cycles }
end

return callers
