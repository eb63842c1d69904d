--- The aims: how much faster than GNU gprof our program should be, and how much memory it may use. Judges whether a
-- row of the table meets them.
--
-- @module bench.aims
-- SPDX-License-Identifier: GPL-3.0-or-later

local turns = require "bench.turns"

local aims = {}

--- Default aim: the wall time of GNU gprof divided by ours.
aims.RATIO = 2

--- If GNU gprof takes less than `FLOOR` seconds, starting Lua is most of our time, and `SMALL` is the aim.
aims.FLOOR, aims.SMALL = 0.020, 0.4

--- We may use this many megabytes more than GNU gprof: the size of Lua.
aims.MARGIN = 3

--- Any other output of a large profile may take this many times the processor time of -p -q; see `bench.exports`. At
-- 100,000 functions, these take longer: sample-profile 4.8, and --html with --compare 9.8 times.
aims.EXPORT = 4

--- Returns the aim of a row.
-- @tparam table row see `bench.rows`
-- @tparam result gnu from `turns.result`
-- @treturn number the least ratio of wall times
function aims.of(row, gnu)
  if not gnu.timeout and gnu.wall < aims.FLOOR then return aims.SMALL end
  return row.aim or aims.RATIO
end

--- Returns whether we meet the aim for time: true, false, or nil if unknown.
local function in_time(gnu, ours, aim)
  if ours.trouble then return false end
  if gnu.trouble and not gnu.timeout then return true end
  local met = turns.ratio(gnu, ours) >= aim
  if gnu.timeout and not met then return nil end
  return met
end

--- Returns whether we meet the aim for memory: true, false, or nil if unknown. If a run of GNU gprof was stopped, its
-- memory is only a lower bound.
local function in_memory(gnu, ours)
  if ours.trouble then return false end
  if gnu.trouble and not gnu.timeout then return true end
  local met = ours.mb <= gnu.mb + aims.MARGIN
  if gnu.timeout and not met then return nil end
  return met
end

--- Judges a row of the table.
-- @tparam result gnu from `turns.result`
-- @tparam result ours
-- @tparam number aim the least ratio of wall times
-- @treturn table `time` and `memory`: whether the aim is met; nil if unknown, because GNU gprof was stopped
function aims.judge(gnu, ours, aim)
  return { time = in_time(gnu, ours, aim), memory = in_memory(gnu, ours) }
end

return aims
