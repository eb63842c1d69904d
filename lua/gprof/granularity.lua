--- The line that says how finely time was sampled.
--
-- @module gprof.granularity
-- SPDX-License-Identifier: GPL-3.0-or-later

--- Writes the line, and a blank one before and after it.
-- @tparam profile profile
-- @tparam number ticks samples that the report is about
-- @tparam string unit of the histogram, as the line is to call it
-- @tparam string idle what to say if there is no sample
-- @tparam stream write
return function(profile, ticks, unit, idle, write)
  write("\ngranularity: each sample hit covers %d byte(s)", profile.bin_size or 0)
  if ticks > 0 then
    write(" for %.2f%% of %.2f %s\n\n", 100 / ticks, ticks / profile.rate, unit)
  else
    write(" %s\n\n", idle)
  end
end
