-- A report: the flat profile with the statistical error of each time.
--
--     lua5.4 gprof.lua --report=examples/flat_errors.lua IMAGE PROFILE...
--
-- The error of n samples is sqrt(n) (see "Statistical Sampling Error" in GNU gprof's
-- manual): a function with four samples could as well have had two or six. Call counts are
-- exact. The option --errors adds such a column to the usual flat profile; this example
-- adds percentages, and shows how to write a report.
--
-- A report is a module that returns a function. Its parameters are the profile, the options
-- by long name, and a stream, which is called with text, or with a format and values.
-- Scripts run the report with `profile:report("./flat_errors.lua")`.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local heading <const> = "%6s %10.10s %10.10s %7s %10s  %s\n"
local row <const> = "%6.2f %10.2f %10.2f %7s %10s  %s\n"

return function(profile, options, write)
  if not profile.rate then
    error("a flat profile needs a histogram, which this profile lacks", 0)
  end
  local total = math.max(profile.total_ticks, 1)
  write("Flat profile, with the expected error of each time:\n\n")
  write("%6s %10.10s %10.10s %7s\n", "%  ", "self  ", "error  ", "error")
  write(heading, "time", profile.unit, profile.unit, "%  ", "calls", "name")
  for f in profile:functions() do
    local n = f.ticks
    if f.listed and (n > 0 or f.calls > 0 or options.display_unused_functions) then
      local percent = n > 0 and ("%.1f"):format(100 * f.self_error / f.self) or ""
      write(row, 100 * n / total, f.self, f.self_error, percent,
        f.calls > 0 and f.calls or "", f.name)
    end
  end
end
