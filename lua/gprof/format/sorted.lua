--- Sorted arrays: the keys of a table in order, and binary search.
--
-- @internal gprof.format.sorted
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = {}

--- Returns the sorted keys of a table: results must not depend on the order of `pairs`.
-- @tparam table map
-- @treturn table
function sorted.keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

--- Returns the order of numbers. Equal ones keep their order. Only this function needs
-- the core: gprof.recorder, which loads this module, does not.
-- @tparam {number,...} numbers
-- @treturn {integer,...}|nil the position of the least one, of the next one, and so on;
--   nil if they are in order
function sorted.order(numbers) return require "gprof.core".number_order(numbers) end

--- Sorts columns: arrays of equal length.
-- @tparam {[string]=table} columns one of them has numbers; if these are not in order,
--   all are replaced
-- @tparam string name of the column by which they are sorted; equal rows keep their order
-- @treturn {[string]=table} the columns
function sorted.columns(columns, name)
  local order = sorted.order(columns[name])
  if not order then return columns end
  for column, values in pairs(columns) do
    local in_order = {}
    for i, row in ipairs(order) do in_order[i] = values[row] end
    columns[column] = in_order
  end
  return columns
end

--- Returns the position of the first number that is at least a limit, by binary search.
-- @tparam {number,...} numbers ascending
-- @tparam number limit
-- @treturn integer one more than the number of elements if all are below the limit
function sorted.search(numbers, limit)
  local low, high = 1, #numbers + 1
  while low < high do
    local middle = (low + high) // 2
    if numbers[middle] < limit then low = middle + 1 else high = middle end
  end
  return low
end

return sorted
