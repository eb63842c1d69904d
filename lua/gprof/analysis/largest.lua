--- The largest of many numbers, without sorting all.
--
-- @internal gprof.analysis.largest
-- SPDX-License-Identifier: GPL-3.0-or-later

--- Returns the items with the largest values; more than `most` if the last values are
-- equal.
-- @tparam {any,...} items
-- @tparam {number,...} values the value of each item
-- @tparam integer most
-- @treturn {any,...} a new array, in the order of `items`
return function(items, values, most)
  if #items <= most then return table.move(items, 1, #items, 1, {}) end
  -- without a comparison function, sorting numbers is quick
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  local least, found = sorted[#sorted - most + 1], {}
  for i, item in ipairs(items) do
    if values[i] >= least then found[#found + 1] = item end
  end
  return found
end
