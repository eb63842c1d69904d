--- Selects what to export from a profile: the arcs in its call graph, and the functions
-- in these arcs or in its flat profile.
--
-- @internal gprof.analysis.extract
-- SPDX-License-Identifier: GPL-3.0-or-later

local extract = {}

-- Sums of integers up to this one are integers of 64 bits.
local MOST <const> = 2.0 ^ 62

--- Returns the arcs to export, which are printed in the call graph, as columns.
-- @tparam profile profile
-- @treturn table arrays in the order of `id`: `id`, `caller` and `callee` (ids), `count`,
--   `self` and `children`
function extract.arc_columns(profile)
  local ids, callers, callees, counts, selves, children = {}, {}, {}, {}, {}, {}
  local n = 0
  for id, caller, callee, count, self, below, printed in
    profile:arcs("id", "id", "caller_id", "callee_id", "count", "self", "children",
      "printed")
  do
    if printed then
      n = n + 1
      ids[n], callers[n], callees[n] = id, caller, callee
      counts[n], selves[n], children[n] = count, self, below
    end
  end
  return { id = ids, caller = callers, callee = callees, count = counts, self = selves,
    children = children }
end

-- Returns the set of callers and callees of the arcs to export.
local function ends_of(profile)
  local ends = {}
  for caller, callee, printed in
    profile:arcs("id", "caller_id", "callee_id", "printed")
  do
    if printed then ends[caller], ends[callee] = true, true end
  end
  return ends
end

-- Returns the set of callers and callees of arcs in columns.
local function ends_in(arcs)
  local ends = {}
  for _, id in ipairs(arcs.caller) do ends[id] = true end
  for _, id in ipairs(arcs.callee) do ends[id] = true end
  return ends
end

--- Returns the functions to export: those in the flat profile that have time or calls,
-- and the callers and callees of exported arcs.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: also return functions without time
--   and calls
-- @tparam[opt] table arcs what `extract.arc_columns` returned, if that is known
-- @treturn {integer,...} their ids, in the order of the flat profile
function extract.functions(profile, options, arcs)
  local ends, ids = arcs and ends_in(arcs) or ends_of(profile), {}
  for id, listed, ticks, calls in
    profile:functions("self", "id", "listed", "ticks", "calls")
  do
    local has_row = options.display_unused_functions or ticks ~= 0 or calls ~= 0
    if ends[id] or listed and has_row then ids[#ids + 1] = id end
  end
  return ids
end

--- Returns the objects of a profile, and to which of them a function belongs.
-- @tparam profile profile
-- @treturn {table,...} see `profile:objects`; each also has its `number`
-- @treturn function from the number of a function to its object
function extract.objects(profile)
  local objects, by_name = profile:objects(), {}
  for number, object in ipairs(objects) do
    object.number, by_name[object.name or ""] = number, object
  end
  return objects, function(id) return by_name[profile:get(id, "object") or ""] end
end

--- Returns how often the basic blocks of a function ran, all together.
-- @tparam profile profile by function
-- @tparam integer id
-- @treturn integer
function extract.block_count(profile, id)
  local sum = 0
  for _, count in profile:blocks(id) do sum = sum + count end
  return sum
end

--- Whether a profile's times are seconds: of processor time, or of wall-clock time, which
-- the recorder calls "wall sec".
-- @tparam profile profile
-- @treturn boolean
function extract.in_seconds(profile)
  return profile.unit == "seconds" or profile.unit == "wall sec"
end

--- Returns the scale factor for times as whole numbers. The unit of such a number is a
-- fraction of a second, or one sample if the profile's unit is not seconds. It is larger
-- if the profile's time would exceed the integers.
-- @tparam profile profile with a histogram
-- @tparam integer parts units per second
-- @treturn number units per sample
function extract.resolution(profile, parts)
  local units = extract.in_seconds(profile) and parts / profile.rate or 1
  return math.min(units, MOST / math.max(profile.total_ticks, 1) / 2)
end

--- Returns the scale factor, like `extract.resolution`, in exactly these units.
-- @tparam profile profile with a histogram
-- @tparam integer parts units per second
-- @treturn number units per sample
-- @raise a table with the field `message` if the profile's time in these units exceeds
--   the integers of the formats
function extract.units(profile, parts)
  local units = extract.in_seconds(profile) and parts / profile.rate or 1
  if profile.total_ticks * units >= MOST then
    local message = "%s: the time, %g %s, is too large to be written in whole numbers"
    message = message:format(profile.image.path, profile.total, profile.unit)
    error({ message = message }, 0)
  end
  return units
end

return extract
