--- Code that no symbol covers: what is said of it where much of the time was spent there.
-- It is loaded where some was.
--
-- @internal gprof.cli.uncovered
-- SPDX-License-Identifier: GPL-3.0-or-later

local uncovered = {}

local LEAST <const> = 0.01  -- the part of all time that is worth a word

--- Tells, once, how much of the time counts for functions whose code it is not. One
-- sample of a few may be many percent, and says nothing: so the error is taken off.
-- @tparam profile profile
-- @tparam function warn takes a message
function uncovered.tell(profile, warn)
  local time = profile.uncovered
  if (time - profile:error_of(time)) / profile.total <= LEAST then return end
  local low, high, most, f = profile:uncovered_range()
  warn(("%.1f%% of the samples are of code that no symbol covers, and count for the " ..
    "function before it: %s of them for %s, at 0x%x to 0x%x"):format(
    100 * time / profile.total, most < time and "most" or "all", f.name, low, high))
end

return uncovered
