--- The source lines where the time of functions was spent and where their calls were
-- made, for exports. Only a profile by line has them; exports of a profile by function
-- use the lines where functions begin.
--
-- @internal gprof.analysis.line_costs
-- SPDX-License-Identifier: GPL-3.0-or-later

local line_costs = {}

-- Maps each id in a profile by line to the id of the same function in the profile by
-- function, if there is one. Functions are matched by address.
local function matches(by_line, by_function)
  local at, owners = {}, {}
  for id, address in by_function:functions("address", "id", "address") do
    if address then at[address] = id end
  end
  for id, owner in by_line:functions("address", "id", "function_id") do
    owners[id] = at[by_line:get(owner, "address")]
  end
  return owners
end

local function add(lists, key, item)
  lists[key] = lists[key] or {}
  table.insert(lists[key], item)
end

-- Collects the lines with samples. Returns a table from function ids to arrays of lines.
-- A line has the fields `file`, `line`, `address` and `ticks`.
local function lines_of(by_line, owners)
  local lines = {}
  for id, ticks in by_line:functions("address", "id", "ticks") do
    if ticks > 0 and owners[id] then
      local file, line, address = by_line:get(id, "file", "line", "address")
      add(lines, owners[id],
        { file = file, line = line or 0, address = address, ticks = ticks })
    end
  end
  return lines
end

-- Collects the lines with calls, in one array for each pair of caller id and callee id. A
-- line has the fields `file`, `line` and `count`.
local function sites_of(by_line, owners)
  local sites = {}
  for caller, callee, count in by_line:arcs("id", "caller_id", "callee_id", "count") do
    local from, to = owners[caller], owners[callee]
    if from and to and count > 0 then
      sites[from] = sites[from] or {}
      local file, line = by_line:get(caller, "file", "line")
      add(sites[from], to, { file = file, line = line or 0, count = count })
    end
  end
  return sites
end

--- Collects the lines of functions and calls.
-- @tparam profile profile
-- @treturn profile the profile by function
-- @treturn {table,...} maps the id of each function with samples to an array of its
--   lines: `file`, `line` (0 if unknown), `address` and `ticks`. Empty for a profile by
--   function
-- @treturn {table,...} maps the id of a caller to a table that maps the id of a callee to
--   an array of the lines with calls: `file`, `line` and `count`. Empty for a profile by
--   function
function line_costs.of(profile)
  local by_function = profile:by_function()
  if profile == by_function then return profile, {}, {} end
  local owners = matches(profile, by_function)
  return by_function, lines_of(profile, owners), sites_of(profile, owners)
end

return line_costs
