--- What of a profile is exported: the arcs that its call graph shows, and the functions
-- that are in them or in its flat profile.
--
-- @internal gprof.analysis.extract
-- SPDX-License-Identifier: GPL-3.0-or-later

local extract = {}

-- Which functions have an entry in the call graph, by number.
local function printed(profile)
  local set = {}
  for id, has_entry in profile:functions("address", "id", "printed") do
    set[id] = has_entry or nil
  end
  return set
end

--- The arcs that are exported: those of which one side has an entry in the call graph.
-- @tparam profile profile
-- @treturn {table,...} by number: `id`, `caller` and `callee` (numbers), `count`, `self`
--   and `children`
function extract.arcs(profile)
  local shown, arcs = printed(profile), {}
  for id, caller, callee, count, self, children in
    profile:arcs("id", "id", "caller_id", "callee_id", "count", "self", "children")
  do
    if shown[caller] or shown[callee] then
      arcs[#arcs + 1] = { id = id, caller = caller, callee = callee, count = count,
        self = self, children = children }
    end
  end
  return arcs
end

--- The functions that are exported: those with time or calls that are selected for the
-- flat profile, and both sides of arcs.
-- @tparam profile profile
-- @tparam {table,...} arcs those that are exported
-- @tparam table options `display_unused_functions`: those without time and calls, too
-- @treturn {integer,...} their numbers, in the order of the flat profile
function extract.functions(profile, arcs, options)
  local ends, ids = {}, {}
  for _, arc in ipairs(arcs) do ends[arc.caller], ends[arc.callee] = true, true end
  for id, listed, ticks, calls in
    profile:functions("self", "id", "listed", "ticks", "calls")
  do
    local has_row = options.display_unused_functions or ticks ~= 0 or calls ~= 0
    if ends[id] or listed and has_row then ids[#ids + 1] = id end
  end
  return ids
end

--- What times are written in, where they have to be whole numbers: parts of a second, or
-- samples, if the profile is of something else.
-- @tparam profile profile with a histogram
-- @tparam integer parts of a second
-- @treturn number how many of them a sample is
function extract.units(profile, parts)
  return profile.unit == "seconds" and parts / profile.rate or 1
end

return extract
