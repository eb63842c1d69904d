--- How finely time was sampled: the line that says it, and figures in which it is seen.
--
-- @internal gprof.print.granularity
-- SPDX-License-Identifier: GPL-3.0-or-later

local granularity = {}

--- Writes the line, and a blank one before and after it. As in GNU gprof, what a sample
-- covers is told in whole units of two bytes.
-- @tparam profile profile
-- @tparam number ticks samples that the report is about
-- @tparam string|nil unit of the histogram, as the line is to call it: not used if there
--   is no sample
-- @tparam string idle what to say if there is no sample
-- @tparam stream write
function granularity.write(profile, ticks, unit, idle, write)
  write("\ngranularity: each sample hit covers %d byte(s)",
    (profile.bin_size or 0) // 2 * 2)
  if ticks > 0 then
    write(" for %.2f%% of %.2f %s\n\n", 100 / ticks, ticks / profile.rate, unit)
  else
    write(" %s\n\n", idle)
  end
end

--- How many decimals it takes to see a step: two at least, six at most.
-- @tparam number step
-- @treturn integer
function granularity.decimals(step)
  local decimals = 2
  while decimals < 6 and 10 ^ -decimals > step do decimals = decimals + 1 end
  return decimals
end

--- The line above a call graph: GNU gprof takes whatever was counted for seconds.
-- @tparam profile profile
-- @tparam table options `gnu_compat`
-- @tparam stream write
function granularity.of_graph(profile, options, write)
  granularity.write(profile, profile.graph_ticks,
    options.gnu_compat and "seconds" or profile.unit, "no time propagated", write)
end

return granularity
