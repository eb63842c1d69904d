-- Inclusive times of profiles with call paths, and the same profiles as glibc would have written them.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"

local inclusive = {}

--- Adds up the samples with a function on the stack.
-- @tparam profile profile
-- @treturn table their ticks, by the id of the function
function inclusive.ticks(profile)
  local above, id_of, ticks_of, sums = {}, {}, {}, {}
  for node, caller, id, ticks in profile:stacks() do above[node], id_of[node], ticks_of[node] = caller, id, ticks end
  for node = 1, #id_of do
    local seen, at = {}, ticks_of[node] > 0 and node or 0
    while at > 0 do
      local id = id_of[at]
      if not seen[id] then seen[id], sums[id] = true, (sums[id] or 0) + ticks_of[node] end
      at = above[at]
    end
  end
  return sums
end

--- Returns data as glibc would write it: without calls from outside, and with rounded addresses of callers.
-- @tparam image image
-- @tparam data data
-- @treturn data
function inclusive.as_glibc(image, data)
  local collapsed = gprof.data.new { image = image }
  for histogram in data:histograms() do
    local bins = {}
    for number, samples in histogram:bins() do bins[number] = samples end
    assert(collapsed:add_histogram { low = histogram.low, high = histogram.high, bins = bins,
      bin_count = histogram.bin_count, rate = histogram.rate })
  end
  for from, callee, calls in data:arcs() do
    if from ~= -1 then assert(collapsed:add_arc(from // 16 * 16, callee, calls)) end
  end
  return collapsed
end

return inclusive
