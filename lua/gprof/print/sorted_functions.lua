--- The functions of a flat profile in another order than that of GNU gprof.
--
-- @internal gprof.print.sorted_functions
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = require "gprof.names"

-- Sort keys, ascending. Names are compared without return types.
local keys <const> = {
  total = function(row) return -(row.ticks + row.children) end,
  calls = function(row) return -row.calls end,
  name = function(row) return names.short(row.name, "without parameters") end,
}

--- Iterates over all functions. Functions with equal keys are in the order of their self
-- times.
-- @tparam profile profile
-- @tparam string key "total", "calls" or "name"
-- @treturn function iterator over a function's number, samples, samples in callees,
--   calls, and whether the user's selection includes it
return function(profile, key)
  local key_of, rows, next_row = keys[key], {}, 0
  local fields <const> = { "id", "ticks", "children_ticks", "calls", "listed", "name" }
  for id, ticks, children, calls, listed, name in
    profile:functions("self", table.unpack(fields))
  do
    local row = { id = id, ticks = ticks, children = children, calls = calls,
      listed = listed, name = name, place = #rows }
    row.key = key_of(row)
    rows[#rows + 1] = row
  end
  table.sort(rows, function(a, b)
    if a.key ~= b.key then return a.key < b.key end
    return a.place < b.place
  end)
  return function()
    next_row = next_row + 1
    local row = rows[next_row]
    if row then return row.id, row.ticks, row.children, row.calls, row.listed end
  end
end
