--- Shapes of call graphs for generated programs.
--
-- Each shape is a function (n, arc, ran, density). It calls `arc(caller, callee, count)` for each arc; functions are
-- numbers from 1 to n. Some shapes use `ran`, the share of functions that ran, and `density`, a factor of the number
-- of arcs.
--
-- @module bench.shapes
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "bench.chance"

local random, long_tail = math.random, chance.long_tail

local shapes = {}

--- Layers, as in real programs: each function has one to many callers, mostly in the layer above. There are some
-- recursive functions, some pairs that call each other, and some functions that never ran.
function shapes.program(n, arc, ran, density)
  local layers = math.min(24, n)
  local order = {}
  for i = 1, n do
    local j = random(i)
    order[i] = order[j]
    order[j] = i
  end
  local above = { order[1] }  -- functions of the layers above that ran
  local last_layer = 1        -- index in `above` where the last layer starts
  for layer = 2, layers do
    local size_before = #above
    for place = n * (layer - 2) // (layers - 1) + 1, n * (layer - 1) // (layers - 1) do
      local callee = order[place]
      if place > 1 and random() < ran then
        for _ = 1, density * long_tail(500, 0.8) do
          local first = random() < 0.8 and last_layer or 1
          arc(above[random(first, size_before)], callee, long_tail(1000000, 2.5))
        end
        if random() < 0.02 then arc(callee, callee, long_tail(1000, 1.5)) end
        if random() < 0.01 then
          arc(callee, above[#above], 1)
          arc(above[#above], callee, 1)
        end
        above[#above + 1] = callee
      end
    end
    last_layer = size_before + 1
  end
end

--- One function calls all others.
function shapes.callees(n, arc)
  for i = 2, n do arc(1, i, long_tail(1000000, 2.5)) end
end

--- All functions call the first.
function shapes.callers(n, arc)
  for i = 2, n do arc(i, 1, long_tail(1000000, 2.5)) end
end

--- Each function calls the next.
function shapes.chain(n, arc)
  for i = 2, n do arc(i - 1, i, i) end
end

--- One cycle: each function calls the next, the last calls the first, and one in ten also calls a random function.
function shapes.cycle(n, arc)
  for i = 1, n do
    arc(i, i % n + 1, i)
    if random(10) == 1 then arc(i, random(n), 1) end
  end
end

--- Each function calls `density` random functions with greater numbers: an acyclic graph of about n * `density` arcs.
function shapes.forward(n, arc, _, density)
  for i = 1, n - 1 do
    for _ = 1, density do arc(i, random(i + 1, n), long_tail(1000000, 2.5)) end
  end
end

return shapes
