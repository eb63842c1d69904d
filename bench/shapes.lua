--- Call graphs of generated programs, in a few shapes.
--
-- Each shape is a function of the number of functions n, and calls `arc(caller, callee, count)` for each arc,
-- with numbers of functions from 1 to n. The share of functions that `ran`, and the `density` of arcs, are for
-- those shapes that have a use for them.
--
-- @module bench.shapes
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "bench.chance"

local random, long_tail = math.random, chance.long_tail

local shapes = {}

--- Layers, as programs have them: who is called is called by one to many functions, mostly of the
-- layer above; some recursion, some pairs that call each other, and some code that never runs.
function shapes.program(n, arc, ran, density)
  local layers = math.min(24, n)
  local order = {}
  for i = 1, n do
    local j = random(i)
    order[i] = order[j]
    order[j] = i
  end
  local above = { order[1] }  -- the functions of the layers above that run
  local last_layer = 1        -- where in `above` the latest layer begins
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

--- All functions call one.
function shapes.callers(n, arc)
  for i = 2, n do arc(i, 1, long_tail(1000000, 2.5)) end
end

--- Each function calls the next.
function shapes.chain(n, arc)
  for i = 2, n do arc(i - 1, i, i) end
end

--- Each function calls the next, the last one the first, and one of ten another one, too: a cycle of all.
function shapes.cycle(n, arc)
  for i = 1, n do
    arc(i, i % n + 1, i)
    if random(10) == 1 then arc(i, random(n), 1) end
  end
end

--- So many calls of each function, of any that come later: no cycle, and n times `density` arcs.
function shapes.forward(n, arc, _, density)
  for i = 1, n - 1 do
    for _ = 1, density do arc(i, random(i + 1, n), long_tail(1000000, 2.5)) end
  end
end

return shapes
