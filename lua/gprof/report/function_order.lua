--- The function order: a list of functions for the linker, one symbol per line. Callers
-- and callees are close together. With the option `order_format`, the report is a file
-- that a certain linker reads.
--
-- @module gprof.report.function_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = require "gprof.linker_order"
local policy = require "gprof.library.policy"

-- Returns the numbers of the functions, in address order, and the set of those that are
-- not listed: functions that were only inlined have no code, and there are no symbols
-- such as `<plt>` of a shared library or `<program+0x1020>` of a stripped program.
local function functions_of(profile, faulty)
  local nodes, unlisted = {}, {}
  for id, address, symbol in profile:functions("address", "id", "address", "symbol") do
    nodes[#nodes + 1] = id
    local is_symbol = faulty and not profile.outside or not symbol:find "^<"
    if not (address and is_symbol) then unlisted[id] = true end
  end
  return nodes, unlisted
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `gnu_compat`: with the bugs of GNU gprof, which may lose a
--   function or print one twice; `order_format`: "lld", "call-graph", "gold" or "ld", a
--   file for a linker, which has only functions that ran; `heuristic`: function that
--   takes the numbers of functions, arcs (see gprof.linker_order) and the profile, and
--   returns the numbers in the order to use, in place of GNU gprof's; `warn`: function
--   called with each reason why linkers cannot move some functions
-- @tparam stream write
return function(profile, options, write)
  if options.order_format and policy.of(options).extends_reports then
    return require "gprof.print.linker_order_file"(profile, options, write)
  end
  local faulty = not policy.of(options).lists_functions_once
  if not faulty then profile = profile:by_function() end
  local nodes, unlisted = functions_of(profile, faulty)
  local order = linker_order.of_profile(profile, nodes, options.heuristic,
    { faulty = faulty })
  local line = write:rows(profile, "function", "%{symbol}\n")
  for _, id in ipairs(order) do
    if not unlisted[id] then line(id) end
  end
end
