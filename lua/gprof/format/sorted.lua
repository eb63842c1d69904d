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

--- Sorts tables by a field that is a number; equal ones keep their order. Only numbers
-- are compared, which is several times faster than calling a comparison function.
-- @tparam {table,...} list
-- @tparam string field
-- @treturn {table,...} the list itself if it is sorted, otherwise a new one
function sorted.by(list, field)
  local groups, keys, is_sorted, last = {}, {}, true, nil
  for _, item in ipairs(list) do
    local key = item[field]
    local group = groups[key]
    is_sorted, last = is_sorted and (not last or last <= key), key
    if group then
      group[#group + 1] = item
    else
      groups[key], keys[#keys + 1] = { item }, key
    end
  end
  if is_sorted then return list end
  table.sort(keys)
  local result = {}
  for _, key in ipairs(keys) do
    local group = groups[key]
    table.move(group, 1, #group, #result + 1, result)
  end
  return result
end

--- Returns the position of the first number that is at least a limit, by binary search.
-- @tparam table numbers an array of numbers, ascending; or of tables with a number each
-- @tparam number limit
-- @tparam[opt] string field of the tables that has the number
-- @treturn integer one more than the number of elements if all are below the limit
function sorted.search(numbers, limit, field)
  local low, high = 1, #numbers + 1
  while low < high do
    local middle = (low + high) // 2
    local number = field and numbers[middle][field] or numbers[middle]
    if number < limit then low = middle + 1 else high = middle end
  end
  return low
end

return sorted
