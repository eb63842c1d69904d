--- What several reports share: headings, the line about sampling granularity, and the
-- number of decimals.
--
-- @internal gprof.print.common
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"

local common = {}

--- A heading. The colours are loaded only if the report has them.
-- @tparam table options of the report; `color`
-- @tparam string text or format, of one line
-- @treturn string
function common.heading(options, text)
  return options.color and require "gprof.print.color".heading(text) or text
end

--- Writes the granularity line, between blank lines. As in GNU gprof, the bytes that a
-- sample covers are rounded down to a multiple of two.
-- @tparam profile profile
-- @tparam number ticks samples that the report is about
-- @tparam string|nil unit of the histogram, as the line is to call it; unused if there
--   is no sample
-- @tparam string idle text if there is no sample
-- @tparam stream write
function common.write_granularity(profile, ticks, unit, idle, write)
  write("\ngranularity: each sample hit covers %d byte(s)",
    (profile.bin_size or 0) // 2 * 2)
  if ticks > 0 then
    write(" for %.2f%% of %.2f %s\n\n", 100 / ticks, ticks / profile.rate, unit)
  else
    write(" %s\n\n", idle)
  end
end

--- Writes the granularity line above a call graph.
-- @tparam profile profile
-- @tparam table options `gnu_compat`
-- @tparam stream write
function common.write_graph_granularity(profile, options, write)
  local unit = policy.of(options).assumes_seconds and "seconds" or profile.unit
  common.write_granularity(profile, profile.graph_ticks, unit, "no time propagated",
    write)
end

--- How many decimals a step needs to be visible: two at least, six at most.
-- @tparam number step
-- @treturn integer
function common.decimals(step)
  local decimals = 2
  while decimals < 6 and 10 ^ -decimals > step do decimals = decimals + 1 end
  return decimals
end

return common
