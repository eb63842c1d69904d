--- The function order: a list of functions for the linker, one symbol per line. Callers
-- and callees are close together. With the option `order_format`, the report is a file
-- that a certain linker reads.
--
-- @module gprof.report.function_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local policy = require "gprof.library.policy"

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
    local faulty = not policy.of(options).lists_functions_once
    core.write_function_order(write, profile, faulty)
  end
end
