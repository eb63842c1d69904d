--- The items with the largest of many numbers.
--
-- @internal gprof.analysis.largest
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"

--- Returns the items with the largest values; more than `most` if the last values are
-- equal.
-- @tparam {any,...} items
-- @tparam {number,...} values the value of each item
-- @tparam integer most
-- @treturn {any,...} a new array, in the order of `items`
return function(items, values, most)
  local least, found = column_order.threshold(values, most), {}
  for i, item in ipairs(items) do
    if values[i] >= least then found[#found + 1] = item end
  end
  return found
end
