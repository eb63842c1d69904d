--- Random choices for generated programs. They use math.random, which `bench.programs` seeds.
--
-- @module bench.chance
-- SPDX-License-Identifier: GPL-3.0-or-later

local random = math.random

local chance = {}

--- Returns a random element of a list.
function chance.pick(list)
  return list[random(#list)]
end

--- Returns a random count from a Pareto distribution, limited to `most`. Most counts are close to 1; a greater
-- `weight` makes the tail heavier.
function chance.long_tail(most, weight)
  local value = 1 / (1 - random()) ^ weight
  return value < most and math.floor(value) or most
end

return chance
