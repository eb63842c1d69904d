--- What we want to be: how much faster than GNU gprof, in how much memory; and whether we are.
--
-- Where GNU gprof takes a moment, the ratio of wall times counts. Where it takes none to speak of, most of our time is
-- that of starting Lua; what counts is the time that both take beyond their start.
--
-- @module bench.aims
-- SPDX-License-Identifier: GPL-3.0-or-later

local turns = require "bench.turns"

local aims = {}

--- How many times as long as ours it is to take, where a row asks for nothing else.
aims.RATIO = 2

--- Seconds of GNU gprof from which on ratios count.
aims.FLOOR = 0.020

--- Megabytes that ours may have more, where they do not: those of Lua.
aims.MARGIN = 3

--- Whether ours meets the aim in time: true, false or nil, if that is not known; and the time that both take beyond
-- their start, in seconds, where that is what counts.
local function in_time(gnu, ours, aim, idle)
  if ours.trouble then return false end
  if gnu.trouble and not gnu.timeout then return true end
  if not gnu.timeout and gnu.wall < aims.FLOOR then
    local net = { gnu = gnu.wall - idle.gnu, ours = ours.wall - idle.ours }
    return net.ours <= net.gnu, net
  end
  local met = turns.ratio(gnu, ours) >= aim
  if gnu.timeout and not met then return nil end
  return met
end

--- The same of memory. What GNU gprof held when it was stopped is not all that it wants.
local function in_memory(gnu, ours)
  if ours.trouble then return false end
  if gnu.trouble and not gnu.timeout then return true end
  local met = ours.mb <= gnu.mb + (gnu.wall < aims.FLOOR and aims.MARGIN or 0)
  if gnu.timeout and not met then return nil end
  return met
end

--- Judges a row of the table.
-- @tparam result gnu as of `turns.result`
-- @tparam result ours
-- @tparam number aim the ratio of wall times that is wanted
-- @tparam table idle the seconds that both take to start: `gnu`, `ours`
-- @treturn table `time` and `memory`: whether the aim is met, or nil, if GNU gprof was stopped too early to know;
--   `net`, where that decides: the seconds of `gnu` and of `ours`
function aims.judge(gnu, ours, aim, idle)
  local time, net = in_time(gnu, ours, aim, idle)
  return { time = time, memory = in_memory(gnu, ours), net = net }
end

return aims
