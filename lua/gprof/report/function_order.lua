--- The function order: a list of functions for the linker, one symbol per line. Callers
-- and callees are close together. With the option `order_format`, the report is a file
-- that a certain linker reads.
--
-- @module gprof.report.function_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = require "gprof.linker_order"
local policy = require "gprof.library.policy"

-- Whether a node is a function with code. Entries of a shared library such as `<plt>` are
-- not, nor are functions that were only inlined.
local function is_listed(profile, address, symbol)
  return address and not (profile.outside and symbol:find "^<")
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `gnu_compat`: with the bugs of GNU gprof, which may lose a
--   function or print one twice; `order_format`: "lld", "call-graph", "gold" or "ld", a
--   file for a linker, which has only functions that ran; `warn`: function called with
--   each reason why linkers cannot move some functions
-- @tparam stream write
return function(profile, options, write)
  if options.order_format and policy.of(options).extends_reports then
    return require "gprof.print.linker_order_file"(profile, options, write)
  end
  local nodes = {}
  for id in profile:functions("address", "id") do nodes[#nodes + 1] = id end
  local arcs = linker_order.arcs(profile:arcs("count", "caller_id", "callee_id", "count",
    "id"))
  local order = linker_order.functions(nodes, arcs,
    { faulty = not policy.of(options).lists_functions_once })
  for _, id in ipairs(order) do
    local address, symbol = profile:get(id, "address", "symbol")
    if is_listed(profile, address, symbol) then
      write(symbol)
      write("\n")
    end
  end
end
