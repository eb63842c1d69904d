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

--- Returns the position of the first number that is at least a limit, by binary search.
-- @tparam {number,...} numbers ascending
-- @tparam number limit
-- @tparam[opt=1] integer low the first position that is searched
-- @tparam[opt] integer high one past the last position; by default, that of the array
-- @treturn integer `high` if all numbers there are below the limit
function sorted.search(numbers, limit, low, high)
  low, high = low or 1, high or #numbers + 1
  while low < high do
    local middle = (low + high) // 2
    if numbers[middle] < limit then low = middle + 1 else high = middle end
  end
  return low
end

return sorted
