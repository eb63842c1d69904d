--- The items with the largest of many numbers.
--
-- @internal gprof.analysis.largest
-- SPDX-License-Identifier: GPL-3.0-or-later

local number_order = require "gprof.format.number_order"

--- Returns the items with the largest values; more than `most` if the last values are
-- equal.
-- @tparam {any,...} items
-- @tparam {number,...} values the value of each item
-- @tparam integer most
-- @treturn {any,...} a new array, in the order of `items`
return function(items, values, most)
  local least, found = number_order.threshold(values, most), {}
  for i, item in ipairs(items) do
    if values[i] >= least then found[#found + 1] = item end
  end
  return found
end
