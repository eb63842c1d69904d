--- Choices of the seeded random sequence that everything generated comes from.
--
-- @module bench.chance
-- SPDX-License-Identifier: GPL-3.0-or-later

local random = math.random

local chance = {}

--- One of a list.
function chance.pick(list)
  return list[random(#list)]
end

--- A random count with a long tail: mostly 1 or little more, now and then up to `most` (a Pareto
-- distribution; the greater `weight`, the more often).
function chance.long_tail(most, weight)
  local value = 1 / (1 - random()) ^ weight
  return value < most and math.floor(value) or most
end

return chance
