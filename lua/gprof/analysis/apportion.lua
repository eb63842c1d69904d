--- Whole numbers that add up: an amount is divided in parts, and nothing of it is lost.
--
-- @internal gprof.analysis.apportion
-- SPDX-License-Identifier: GPL-3.0-or-later

local apportion = {}

-- Those that lost most by rounding come first, then those that stood first.
local function by_loss(a, b)
  if a.lost ~= b.lost then return a.lost > b.lost end
  return a.place < b.place
end

--- Divides a whole number: each part is rounded down, and what is missing goes to those
-- that lost most.
-- @tparam integer whole
-- @tparam {number,...} parts how large they are, in any unit; not all are 0
-- @treturn {integer,...} which add up to `whole`
function apportion.divide(whole, parts)
  local sum, left, divided, order = 0, whole, {}, {}
  for _, part in ipairs(parts) do sum = sum + part end
  for i, part in ipairs(parts) do
    local exact = part / sum * whole
    divided[i] = math.min(math.floor(exact), left)
    order[i] = { place = i, lost = exact - divided[i] }
    left = left - divided[i]
  end
  table.sort(order, by_loss)
  for i = 0, left - 1 do
    local place = order[i % #order + 1].place
    divided[place] = divided[place] + 1
  end
  return divided
end

return apportion
