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
  local sum, left, divided, order = 0, whole, {}, {}
  for _, part in ipairs(parts) do sum = sum + part end
  for i, part in ipairs(parts) do
    local exact = part / sum * whole
    divided[i] = math.min(math.floor(exact), left)
    order[i] = { place = i, lost = exact - divided[i] }
    left = left - divided[i]
  end
  table.sort(order, function(a, b)
    if a.lost ~= b.lost then return a.lost > b.lost end
    return a.place < b.place
  end)
  for i = 0, left - 1 do
    local place = order[i % #order + 1].place
    divided[place] = divided[place] + 1
  end
  return divided
end

return apportion
