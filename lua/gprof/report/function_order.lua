--- The function order: a list of functions for the linker, one symbol per line. Callers
-- and callees are close together. With the option `order_format`, the report is a file
-- that a certain linker reads.
--
-- @module gprof.report.function_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = require "gprof.analysis.linker_order"
local policy = require "gprof.library.policy"

-- Prints all functions with names from the symbol table. The entries of shared libraries
-- that are not functions, such as `<plt>`, are omitted, and so are functions that were
-- only inlined.
local function print_all(profile, options, write)
  local nodes, symbols, shared = {}, {}, profile.outside
  local inlines = profile.has_inlines
  for id, symbol in profile:functions("address", "id", "symbol") do
    nodes[#nodes + 1] = id
    local is_code = not inlines or profile:get(id, "address")
    symbols[id] = is_code and not (shared and symbol:find "^<") and symbol .. "\n" or ""
  end
  local arcs =
    linker_order.arcs(profile:arcs("count", "caller_id", "callee_id", "count", "id"))
  local faulty = not policy.of(options).lists_functions_once
  for _, id in ipairs(linker_order.functions(nodes, arcs, faulty)) do
    write(symbols[id])
  end
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
    require "gprof.print.linker_order_file"(profile, options, write)
  else
    print_all(profile, options, write)
  end
end
