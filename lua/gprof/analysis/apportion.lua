--- Divides an integer into integer parts that add up to it (largest remainder method).
--
-- @internal gprof.analysis.apportion
-- SPDX-License-Identifier: GPL-3.0-or-later

local apportion = {}

--- Divides an integer in proportion to weights. Each part is rounded down; the remaining
-- units go to the parts that lost most by rounding.
-- @tparam integer whole
-- @tparam {number,...} parts the weights, not all 0
-- @treturn {integer,...} one part for each weight, with the sum `whole`
function apportion.divide(whole, parts)
  if not parts[2] then return { parts[1] and whole } end
  local sum, left, divided, lost, order = 0, whole, {}, {}, {}
  for _, part in ipairs(parts) do sum = sum + part end
  for i, part in ipairs(parts) do
    local exact = part / sum * whole
    divided[i] = math.min(math.floor(exact), left)
    order[i], lost[i] = i, exact - divided[i]
    left = left - divided[i]
  end
  if left == 0 then return divided end
  table.sort(order, function(a, b)
    if lost[a] ~= lost[b] then return lost[a] > lost[b] end
    return a < b
  end)
  for i = 0, left - 1 do
    local place = order[i % #order + 1]
    divided[place] = divided[place] + 1
  end
  return divided
end

return apportion
