--- Computes link orders that put callers and callees close together.
--
-- The algorithm, GNU gprof's, is in csrc/profile/linker_order.c. It knows only nodes,
-- which are numbers, and arcs between them.
--
-- @internal gprof.analysis.linker_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local linker_order = {}

--- Collects arcs in columns.
-- @tparam function ... an iterator over caller, callee, count and the arc's number in the
--   order of creation
-- @treturn table the arrays `caller`, `callee`, `count` and `created` (that number), in
--   the iterator's order
function linker_order.arcs(...)
  local callers, callees, counts, created = {}, {}, {}, {}
  local n = 0
  for caller, callee, count, number in ... do
    n = n + 1
    callers[n], callees[n], counts[n], created[n] = caller, callee, count, number
  end
  return { caller = callers, callee = callees, count = counts, created = created }
end

--- Computes an order of functions.
-- @function linker_order.functions
-- @tparam {integer,...} nodes the functions in address order
-- @tparam table|profile arcs as `linker_order.arcs` makes them, sorted by count,
--   descending; equal counts in the order of creation. Or a profile with these arcs
-- @tparam[opt] boolean faulty reproduce GNU gprof's faults: the last hot function may be
--   missing, and a function that is never called may be listed twice
-- @treturn {integer,...} the nodes, each once unless `faulty` is true
linker_order.functions = core.order_functions

--- Computes an order of object files.
-- @function linker_order.files
-- @tparam {integer,...} nodes the files in address order
-- @tparam table arcs as `linker_order.arcs` makes them, in the order to process them.
--   Arcs from or to other nodes only add to the sum of all calls
-- @treturn {integer,...} the nodes, each once
linker_order.files = core.order_files

return linker_order
