--- Bounds of total times in the flat profile and the call graph: two columns, a mark, and
-- what they mean.
--
-- @internal gprof.print.bounds
-- SPDX-License-Identifier: GPL-3.0-or-later

local bounds = {}

--- The columns in the format of a row: two numbers, and a mark.
bounds.COLUMNS = " %{total_low:8.2f} %{total_high:8.2f}%{mark}"

--- The width of these columns.
bounds.WIDTH = 19

--- The heading of these columns.
bounds.HEADING = "      low     high "

local note <const> = [[

The bounds (low, high) assume one thread, a symbol for every function, and that
recording was never switched off. ?: they are further apart than a tenth of the
]]

-- The part of the run by which bounds without a mark may differ: a tenth. The difference
-- of two times in seconds is rounded: 0.4 - 0.3 > 0.1.
local TENTH <const> = 0.1 * (1 + 1e-9)

--- Returns the function that marks bounds which say little.
-- @tparam profile profile
-- @treturn function takes the number of a function or cycle, and returns the `mark` of
--   its row
function bounds.marker(profile)
  local most = TENTH * (profile.total or 0)
  return function(id)
    local low, high = profile:get(id, "total_low", "total_high")
    return high - low > most and "?" or " "
  end
end

--- Writes what the bounds assume, and what the mark means.
-- @tparam profile profile
-- @tparam stream write
function bounds.write_note(profile, write)
  write(note)
  write(profile.exact and
    "run. The times themselves were measured. Libraries are left out.\n" or
    "run; record call paths instead (gprof.lua --record).\n")
end

--- Writes the explanation of the columns.
-- @tparam profile profile
-- @tparam stream write
function bounds.explain(profile, write)
  write(require "gprof.print.explain".times("bounds", profile))
end

return bounds
