-- The flat profile with the error of each figure:
--
--     lua5.4 gprof.lua --report=examples/flat_errors.lua IMAGE PROFILE...
--
-- Times are sampled: n samples have an expected error of sqrt(n) (see "Statistical
-- Sampling Error" in GNU gprof's manual), so a function of four samples may as well have
-- had two or six. Calls are counted, and exact. (The program's own flat profile has such a
-- column under --errors; this one adds the percentages, and shows how a report is made.)
--
-- This is a report like those of the library: a module that returns one function of the
-- profile, the options of the program by long name, and a stream to write to, which takes
-- text, or a format and values. In scripts: `profile:report("./flat_errors.lua")`.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local heading <const> = "%6s %10.10s %10.10s %7s %10s  %s\n"
local row <const> = "%6.2f %10.2f %10.2f %7s %10s  %s\n"

return function(profile, options, write)
  if not profile.rate then
    error("a flat profile needs a histogram, which this profile has not", 0)
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
