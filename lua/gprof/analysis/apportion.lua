--- Divides an integer into integer parts that add up to it (largest remainder method).
--
-- @internal gprof.analysis.apportion
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"

local floor <const> = math.floor

local apportion = {}

--- Divides an integer in proportion to weights. Each part is rounded down; the remaining
-- units go to the parts that lost most by rounding.
-- @tparam integer whole
-- @tparam {number,...} parts the weights, not all 0
-- @treturn {integer,...} one part for each weight, with the sum `whole`
function apportion.divide(whole, parts)
  if not parts[2] then return { parts[1] and whole } end
  local sum, left, count, divided, gained = 0, whole, #parts, {}, {}
  for i = 1, count do sum = sum + parts[i] end
  for i = 1, count do
    local exact = parts[i] / sum * whole
    local part = floor(exact)
    if part > left then part = left end
    divided[i], gained[i], left = part, part - exact, left - part
  end
  if left == 0 then return divided end
  local order = column_order.of(gained)
  for i = 0, left - 1 do
    local place = i % count + 1
    if order then place = order[place] end
    divided[place] = divided[place] + 1
  end
  return divided
end

return apportion
