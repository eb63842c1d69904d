--- The source lines where the time of functions was spent and where their calls were
-- made, for exports. Only a profile by line has them; exports of a profile by function
-- use the lines where functions begin.
--
-- @internal gprof.analysis.line_costs
-- SPDX-License-Identifier: GPL-3.0-or-later

local line_costs = {}

-- Returns a function from the id of a function in a profile by line to its id in the
-- profile by function, if it is there. Functions are matched by address.
local function matcher(by_line, by_function)
  local at, matches = {}, {}
  for id, address in by_function:functions("address", "id", "address") do
    if address then at[address] = id end
  end
  return function(id)
    if matches[id] == nil then matches[id] = at[by_line:get(id, "address")] or false end
    return matches[id]
  end
end

local function add(lists, key, item)
  local list = lists[key]
  if list then list[#list + 1] = item else lists[key] = { item } end
end

-- Collects the lines with samples. Returns a table from function ids to arrays of lines.
local function lines_of(by_line, match)
  local lines = {}
  for id, ticks, file, line, address in
    by_line:functions("sampled", "function_id", "ticks", "file", "line", "address")
  do
    local owner = match(id)
    if owner then
      add(lines, owner,
        { file = file, line = line or 0, address = address, ticks = ticks })
    end
  end
  return lines
end

--- Collects the lines of functions.
-- @tparam profile profile
-- @tparam profile by_function the profile by function
-- @treturn {table,...} maps the id of each function with samples to an array of its
--   lines: `file`, `line` (0 if unknown), `address` and `ticks`. Empty for a profile by
--   function
function line_costs.of(profile, by_function)
  if profile == by_function then return {} end
  return lines_of(profile, matcher(profile, by_function))
end

--- Collects the lines of calls.
-- @tparam profile profile
-- @tparam profile by_function the profile by function
-- @treturn {table,...} maps the id of a caller to a table that maps the id of a callee to
--   an array of the lines with calls: `file`, `line` and `count`. Empty for a profile by
--   function
function line_costs.sites(profile, by_function)
  local sites = {}
  if profile == by_function then return sites end
  local match = matcher(profile, by_function)
  for caller, callee, count in profile:arcs("id", "caller_id", "callee_id", "count") do
    local from = match(profile:get(caller, "function_id"))
    local to = match(profile:get(callee, "function_id"))
    if from and to and count > 0 then
      sites[from] = sites[from] or {}
      local file, line = profile:get(caller, "file", "line")
      add(sites[from], to, { file = file, line = line or 0, count = count })
    end
  end
  return sites
end

return line_costs
