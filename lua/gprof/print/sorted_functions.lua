--- The functions of a flat profile in another order than that of GNU gprof.
--
-- @internal gprof.print.sorted_functions
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"
local names = require "gprof.names"

-- Sort keys, ascending. Names are compared without return types.
local keys <const> = {
  total = function(ticks, children) return -(ticks + children) end,
  calls = function(_, _, calls) return -calls end,
  name = function(_, _, _, name) return names.short(name, "without parameters") end,
}

--- Iterates over all functions. Functions with equal keys are in the order of their self
-- times.
-- @tparam profile profile
-- @tparam string key "total", "calls" or "name"
-- @treturn function iterator over a function's number, samples, samples in callees,
--   calls, and whether the user's selection includes it
return function(profile, key)
  local key_of, values, count, next_row = keys[key], {}, 0, 0
  local ids, self, callees, counts, selected = {}, {}, {}, {}, {}
  local fields <const> = { "id", "ticks", "children_ticks", "calls", "listed",
    key == "name" and "name" or nil }  -- demangling names takes time
  for id, ticks, children, calls, listed, name in
    profile:functions("self", table.unpack(fields))
  do
    count = count + 1
    values[count] = key_of(ticks, children, calls, name)
    ids[count], self[count], callees[count] = id, ticks, children
    counts[count], selected[count] = calls, listed
  end
  local order = column_order.of(values)
  return function()
    next_row = next_row + 1
    local i = order and order[next_row] or next_row
    return ids[i], self[i], callees[i], counts[i], selected[i]
  end
end
