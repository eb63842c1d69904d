--- The function order: a list of functions for the linker, one symbol per line. Callers
-- and callees are close together.
--
-- @module gprof.report.function_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = require "gprof.analysis.linker_order"
local policy = require "gprof.library.policy"

--- Prints the report with names from the symbol table, which linkers use. The entries of
-- shared libraries that are not functions, such as `<plt>`, are omitted, and so are
-- functions that were only inlined.
-- @tparam profile profile
-- @tparam table options `gnu_compat`: with the bugs of GNU gprof, which may lose a
--   function or print one twice
-- @tparam stream write
return function(profile, options, write)
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
