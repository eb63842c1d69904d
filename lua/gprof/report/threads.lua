--- The threads: the time and the calls of each thread that was recorded.
--
-- @module gprof.report.threads
-- SPDX-License-Identifier: GPL-3.0-or-later

local busiest_first = require "gprof.analysis.thread_order"
local common = require "gprof.print.common"

-- The format of a row: percentage, time, calls, number, name.
local ROW <const> = "%6.2f %9.2f %12d %8s  %s\n"

local function name_of(thread)
  local several = thread.count > 1 and (" (%d threads)"):format(thread.count) or ""
  return thread.name:gsub("%c", "?") .. several
end

--- Prints the report.
-- @tparam profile profile with call paths
-- @tparam table options `brief`: no explanation; `color`
-- @tparam stream write
return function(profile, options, write)
  local threads, problem = profile:threads()
  if not threads then error("threads are not known: " .. problem, 0) end
  local sum = 0
  for _, thread in ipairs(threads) do sum = sum + thread.ticks end
  local unit = profile.unit or "seconds"
  write(common.heading(options, "Threads:\n\n"))
  write(common.heading(options, "%6s %9s %12s %8s  %s\n"), "%  ", unit .. " ", "calls ",
    "number", "name")
  for _, thread in ipairs(busiest_first(threads)) do
    write(ROW, common.percentage(thread.ticks, sum), thread.time or 0, thread.calls,
      thread.number > 0 and thread.number or "", name_of(thread))
  end
  if not options.brief then write(require "gprof.print.explain".threads) end
end
