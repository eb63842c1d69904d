--- The uncertain part of an estimated call tree.
--
-- Unless call paths were recorded, the time of a function is divided among its callers by
-- their calls (see gprof.analysis.callers). Nothing is divided if a function has one
-- caller, and so on up to a root. So the certain part of a frame's time is its lower
-- bound (see `profile:find_limits`): the time that no other caller can have caused.
--
-- @internal gprof.analysis.guesses
-- SPDX-License-Identifier: GPL-3.0-or-later

local callers = require "gprof.analysis.callers"

local guesses = {}

-- Rounding may leave this fraction of a function's time without a caller.
local NOISE <const> = 1e-9

-- A frame or arc is a guess if less than this part of its time is certain.
local LEAST <const> = 0.5

-- Returns the only caller of a function, or of its cycle; false if there is none; nil if
-- there are several, or other calls.
local function only_caller(graph, id)
  local divided = not graph.stay[id] and graph.cycles[id] or id  -- what has the calls
  local row = graph.last[divided]
  if not row then return false end
  local is_only = graph.before[row] == 0 and graph.part[row] > 1 - NOISE
  return is_only and graph.caller[row] or nil
end

-- Returns a function that tells whether a single path leads to a function.
local function path_test(graph)
  local known = {}
  return function(id)
    local at = id
    while at and known[at] == nil do at = only_caller(graph, at) end
    local is_single = at == false or at ~= nil and known[at]
    at = id
    while at and known[at] == nil do
      known[at], at = is_single, only_caller(graph, at)
    end
    return is_single
  end
end

--- Finds what is guessed in the estimated call tree of a profile.
-- @tparam profile profile by function
-- @tparam[opt] table graph what `callers.of` returned for the profile, if that is known
-- @treturn table|nil with the fields
--
--   - `share`: the fraction of the time in functions to which several paths lead;
--   - `is_single(id)`: whether a single path from the roots leads to a function or cycle;
--   - `is_only(caller, id)`: whether a function is the only caller of another one, or
--     of a cycle.
--
--   Nil if times were measured
function guesses.of(profile, graph)
  if profile.exact then return nil end
  graph = graph or callers.of(profile)
  local is_single = path_test(graph)
  local guessed, all = 0, 0
  for id, ticks in profile:functions(nil, "id", "ticks") do
    all = all + ticks
    if ticks > 0 and not is_single(id) then guessed = guessed + ticks end
  end
  return {
    share = all > 0 and guessed / all or 0, is_single = is_single,
    is_only = function(caller, id)
      return graph.cycles[id] == caller or only_caller(graph, id) == caller
    end,
  }
end

--- Returns which share of the time in a profile is divided among call paths by guess.
-- @tparam profile profile
-- @tparam[opt] table graph as for `guesses.of`
-- @treturn number|nil nil if times were measured
function guesses.share(profile, graph)
  local found = guesses.of(profile:by_function(true), graph)
  return found and found.share
end

--- Whether a time is a guess.
-- @tparam number time
-- @tparam number least what is certain of it
-- @treturn boolean
function guesses.is_guess(time, least)
  return least < LEAST * time
end

--- Returns which share of a tree is guessed, as a sentence.
-- @tparam number|nil share
-- @treturn string|nil nil if nothing is guessed
function guesses.sentence(share)
  if not share or share <= 0 then return nil end
  return ("%.1f %% of the time is divided among call paths by guess; " ..
    "--record measures it"):format(100 * share)
end

return guesses
