--- The time of compiled functions, and of the functions that were inlined into them, as
-- trees: below a compiled function are those that were inlined into it, below these are
-- those that were inlined into them. Only for profiles with inlined functions whose times
-- are not measured; measured stacks have inlined functions themselves.
--
-- @internal gprof.analysis.inlined_code
-- SPDX-License-Identifier: GPL-3.0-or-later

local inlined_code = {}

--- Returns the trees of a profile.
-- @tparam profile profile by function
-- @treturn table|nil arrays `id` (of the function), `outer` (the node into which it was
--   inlined; 0 for a compiled function) and `ticks` (in its own code), indexed by node.
--   Outer nodes have lower numbers. Nil if the profile has no such trees
function inlined_code.of(profile)
  if profile.exact or not profile.has_inlines then return nil end
  local trees = { id = {}, outer = {}, ticks = {} }
  for node, outer, id, ticks in profile:inlined_code() do
    trees.id[node], trees.outer[node], trees.ticks[node] = id, outer, ticks
  end
  return trees
end

--- Returns the pairs of functions of which the second one was only inlined into the first
-- one, never called.
-- @tparam profile profile by function
-- @treturn function|nil takes the ids of both functions; returns a boolean. Nil if the
--   profile has no inlined functions
function inlined_code.only_inlined(profile)
  if not profile.has_inlines then return nil end
  local pairs_of = {}
  for caller, callee, inlined, count in
    profile:arcs("id", "caller_id", "callee_id", "inlined", "count")
  do
    if inlined and count == 0 then
      pairs_of[caller] = pairs_of[caller] or {}
      pairs_of[caller][callee] = true
    end
  end
  return function(caller, callee)
    return pairs_of[caller] ~= nil and pairs_of[caller][callee] ~= nil
  end
end

return inlined_code
