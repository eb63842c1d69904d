--- The call graph in BSD's style: wider, with blank lines around each rule.
--
-- @module gprof.report.bsd.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local graph = require "gprof.report.graph"

local indent = (" "):rep(34)

local layout = {
  wide = 11,
  rule = "\n" .. ("-"):rep(47) .. "\n\n",
  name = "symbol",
}

function layout.heading(profile, options, write)
  local bounds = common.bounds(profile, options)
  local columns = bounds and bounds.HEADING or ""
  local gap = (" "):rep(#columns)
  if not options.brief then
    local explain = require "gprof.print.explain"
    write(explain.bsd_graph)
    if bounds then bounds.explain(profile, write) end
  end
  common.write_graph_granularity(profile, options, write)
  write(common.heading(options, indent .. gap .. "called/total       parents \n"))
  write(common.heading(options, "index  %time    self descendants" .. columns ..
    "  called+self    name    \tindex\n"))
  write(common.heading(options, indent .. gap .. "called/total       children\n\n"))
end

--- Prints the report, without the index (`gprof.report.bsd.index`).
-- @tparam profile profile
-- @tparam table options as in `gprof.report.graph`
-- @tparam stream write
return function(profile, options, write)
  return graph(profile, options, write, layout)
end
