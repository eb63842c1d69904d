--- The places of the largest of many numbers.
--
-- @internal gprof.analysis.largest
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"

--- Returns the places of the largest numbers; more than `most` if the last ones are
-- equal.
-- @tparam {number,...} numbers
-- @tparam integer most
-- @treturn {integer,...} in ascending order
return function(numbers, most)
  local least, found = column_order.threshold(numbers, most), {}
  for i, number in ipairs(numbers) do
    if number >= least then found[#found + 1] = i end
  end
  return found
end
