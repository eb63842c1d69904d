--- The flat profile in BSD's style: with the number of each function's entry in the call
-- graph, and milliseconds per call.
--
-- @module gprof.report.bsd.flat
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local flat = require "gprof.report.flat"
local labels = require "gprof.print.labels"

local layout = {
  percent = "%{percent:5.1f}",
  cumulative = "%{cumulative:10.2f}",
}

function layout.title(profile, options, write, with_calls)
  if not options.brief then
    local explain = require "gprof.print.explain"
    write(with_calls and explain.bsd_flat or explain.without_calls(explain.bsd_flat))
    if options.errors then write(explain.errors) end
    if options.bounds and profile.has_bounds then
      write(explain.times("bounds", profile))
    end
  end
  common.write_granularity(profile, options, profile.total_ticks, profile.unit,
    "no time accumulated", write)
  if not with_calls then
    common.write_samples_alone(profile, write)
    write "\n"
  end
  common.write_threads(profile, write, "\n")
end

function layout.unit()
  return "m", 1000
end

-- Without recorded calls there is no call graph, so names are not followed by the numbers
-- of entries.
function layout.labels(profile, options)
  local made = profile.data.has_arcs and labels.references or labels.of
  return made(profile, options, "symbol")
end

--- Prints the report.
-- @tparam profile profile with a histogram
-- @tparam table options as in `gprof.report.flat`
-- @tparam stream write
return function(profile, options, write)
  return flat(profile, options, write, layout)
end
