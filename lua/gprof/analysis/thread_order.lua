--- The order of threads: the busiest first.
--
-- @internal gprof.analysis.thread_order
-- SPDX-License-Identifier: GPL-3.0-or-later

--- Sorts threads by time, then by calls, descending; equal threads keep their order.
-- @tparam {table,...} threads from `profile:threads`
-- @treturn {table,...} the same array
return function(threads)
  local places = {}
  for place, thread in ipairs(threads) do places[thread] = place end
  table.sort(threads, function(a, b)
    if a.ticks ~= b.ticks then return a.ticks > b.ticks end
    if a.calls ~= b.calls then return a.calls > b.calls end
    return places[a] < places[b]
  end)
  return threads
end
