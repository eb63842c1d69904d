--- The order of threads: the busiest first.
--
-- @internal gprof.analysis.thread_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"

--- Sorts threads by time, then by calls, descending; equal threads keep their order.
-- @tparam {table,...} threads from `profile:threads`
-- @treturn {table,...}
return function(threads)
  local ticks, calls = {}, {}
  for i, thread in ipairs(threads) do
    ticks[i], calls[i] = -thread.ticks, -thread.calls
  end
  local order = column_order.by { ticks, calls }
  return order and column_order.picked(threads, order) or threads
end
