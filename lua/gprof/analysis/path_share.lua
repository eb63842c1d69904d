--- The part of the samples whose call paths are complete, where that limits measured
-- times.
--
-- A sample without a complete call path counts only for the function in which it fell.
-- The total times of other functions may therefore lack the time of all such samples.
--
-- @internal gprof.analysis.path_share
-- SPDX-License-Identifier: GPL-3.0-or-later

local path_share = {}

-- From this part on, nearly all call paths are complete. Those of samples at the start
-- and the end of a program seldom are.
local NEARLY_ALL <const> = 0.95

-- Returns the part; 1 if nearly all are complete, or if times were not measured.
local function limiting(exact, share)
  return exact and share and share < NEARLY_ALL and share or 1
end

--- Returns the part.
-- @tparam profile profile
-- @treturn number 1 if nearly all are complete, or if times were not measured
function path_share.of(profile) return limiting(profile.exact, profile.path_share) end

--- Returns how much of a time the total times of functions may lack.
-- @tparam boolean exact whether times were measured, see `profile.exact`
-- @tparam number|nil share see `profile.path_share`
-- @tparam number time
-- @treturn number in the same unit
function path_share.lacking(exact, share, time)
  return (1 - limiting(exact, share)) * time
end

--- Returns the part as a clause.
-- @tparam number share
-- @treturn string
function path_share.clause(share)
  return ("call paths are complete for %d%% of the samples"):format(share * 100 // 1)
end

--- Returns what is to be said wherever times are shown that were measured.
-- @tparam profile profile
-- @treturn string|nil a clause; nil if nearly all are complete
function path_share.note(profile)
  local share = path_share.of(profile)
  return share < 1 and path_share.clause(share) or nil
end

return path_share
