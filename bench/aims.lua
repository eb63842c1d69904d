--- The aims: how much faster than GNU gprof our program should be, and how much memory it may use. Judges whether a
-- row of the table meets them.
--
-- If GNU gprof takes at least `FLOOR` seconds, the ratio of wall times counts. Below that, starting Lua dominates our
-- time, so net times are compared: wall time without start-up.
--
-- @module bench.aims
-- SPDX-License-Identifier: GPL-3.0-or-later

local turns = require "bench.turns"

local aims = {}

--- Default aim: the wall time of GNU gprof divided by ours.
aims.RATIO = 2

--- The ratio of wall times counts if GNU gprof takes at least this many seconds.
aims.FLOOR = 0.020

--- If GNU gprof takes less than `FLOOR`, we may use this many megabytes more than GNU gprof: the size of Lua.
aims.MARGIN = 3

--- Returns whether we meet the aim for time: true, false, or nil if unknown. If net times decide, also returns them in
-- seconds.
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

--- Returns whether we meet the aim for memory: true, false, or nil if unknown. If a run of GNU gprof was stopped, its
-- memory is only a lower bound.
local function in_memory(gnu, ours)
  if ours.trouble then return false end
  if gnu.trouble and not gnu.timeout then return true end
  local met = ours.mb <= gnu.mb + (gnu.wall < aims.FLOOR and aims.MARGIN or 0)
  if gnu.timeout and not met then return nil end
  return met
end

--- Judges a row of the table.
-- @tparam result gnu from `turns.result`
-- @tparam result ours
-- @tparam number aim the least ratio of wall times
-- @tparam table idle start-up times in seconds: `gnu`, `ours`
-- @treturn table `time` and `memory`: whether the aim is met; nil if unknown, because GNU gprof was stopped; `net`: the
--   net seconds of `gnu` and `ours`, if they decide
function aims.judge(gnu, ours, aim, idle)
  local time, net = in_time(gnu, ours, aim, idle)
  return { time = time, memory = in_memory(gnu, ours), net = net }
end

return aims
