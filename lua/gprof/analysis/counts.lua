--- Sums of counts, which have at most 63 bits.
--
-- @internal gprof.analysis.counts
-- SPDX-License-Identifier: GPL-3.0-or-later

local counts = {}

--- Adds counts.
-- @tparam integer a not negative
-- @tparam integer b not negative
-- @treturn integer the sum; the largest integer if the sum is larger
function counts.add(a, b)
  local sum = a + b
  return sum < 0 and math.maxinteger or sum
end

--- Returns whether a value that was read from a file is a count or a time: it has at most
-- 63 bits, also when it is rounded to a float.
-- @param value
-- @treturn boolean
function counts.is_amount(value)
  return type(value) == "number" and value >= 0 and value + 0.0 < 2 ^ 63
end

return counts
