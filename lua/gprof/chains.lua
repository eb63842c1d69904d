--- Chains of calls, from a root down to where time was spent, as far as a call graph can
-- tell of them: an estimate.
--
-- A profile knows how often a function was called by each of its callers, and not on
-- behalf of whom these were called. So it is taken for granted, as it is in the call
-- graph, that all calls of a function cost the same, whoever they are for. Then the time
-- of a function goes up along its callers, to each by its share of the calls, and on from
-- there; what comes to the top has told the chain. The time of each function is exact,
-- whatever becomes of the chains; and the time of all chains with a function in them is
-- its time with its children's, as in the call graph. What is called within a cycle, in
-- what order, is not known: the cycle as a whole is a link of the chain, above the
-- function.
--
-- There can be any number of chains. One that has come to carry next to no time, or to be
-- very long, begins with TRUNCATED where it is left; so do all when there are too many.
--
-- @internal gprof.chains
-- SPDX-License-Identifier: GPL-3.0-or-later

local shares = require "gprof.shares"

local chains = {}

local LEAST <const> = 1e-4  -- of all time
local DEEPEST <const> = 128
local MOST <const> = 100000

--- What stands in a chain for callers that were not followed.
chains.TRUNCATED = 0

-- The cycles of members, by number; nil for others.
local function cycles_of(profile)
  local cycles = {}
  for cycle in profile:cycles() do
    for id in cycle:members(nil, "id") do cycles[id] = cycle.id end
  end
  return cycles
end

-- Callers by number of a function or cycle: arrays of { id, part }, each caller once,
-- with its part of the calls. Functions whose time is not to be handed on have none.
local function callers_of(profile, cycles)
  local above, places, stay = {}, {}, {}
  for id, share in profile:functions("address", "id", "share") do
    stay[id] = share == 0 or nil
  end
  for caller, callee, count, of, recursive in
    profile:arcs("id", "caller_id", "callee_id", "count", "of", "recursive")
  do
    if not recursive and count > 0 and not stay[callee] then
      local node = cycles[callee] or callee
      above[node], places[node] = above[node] or {}, places[node] or {}
      local list, place = above[node], places[node]
      place[caller] = place[caller] or #list + 1
      local entry = list[place[caller]] or { id = caller, part = 0 }
      entry.part, list[place[caller]] = entry.part + count / of, entry
    end
  end
  return above, stay
end

-- Goes up from a function. `emit` gets the topmost link of each chain, and its part of
-- the time; links lead downwards.
local function climb(graph, id, least, emit)
  local stack = { { link = { id = id }, part = 1, depth = 1 } }
  while stack[1] do
    local at = table.remove(stack)
    local link = at.link
    local cycle = not graph.stay[link.id] and graph.cycles[link.id]
    if cycle then link = { id = cycle, below = link } end
    local callers, left = graph.above[link.id] or {}, at.part
    if callers[1] and (at.part < least or at.depth >= DEEPEST or graph.count >= MOST) then
      emit({ id = chains.TRUNCATED, below = link }, at.part)
    else
      for i = #callers, 1, -1 do
        local caller = callers[i]
        left = left - at.part * caller.part
        stack[#stack + 1] = { link = { id = caller.id, below = link },
          part = at.part * caller.part, depth = at.depth + 1 }
      end
      if not callers[1] or left > 1e-9 * at.part then emit(link, left) end
    end
  end
end

-- The chains down to one function: its time in whole units is divided among them.
local function add_chains(graph, id, weight, pieces, least)
  local found, sizes = {}, {}
  local function emit(top, part)
    graph.count = graph.count + 1
    for _, piece in ipairs(pieces) do
      found[#found + 1] = { top = top, piece = piece }
      sizes[#found] = part * piece.ticks
    end
  end
  climb(graph, id, least, emit)
  for i, share in ipairs(shares.divide(weight, sizes)) do
    found[i].weight = share
    if share > 0 then graph.chains[#graph.chains + 1] = found[i] end
  end
end

local undivided <const> = { { ticks = 1 } }

--- Makes the chains of a profile.
-- @tparam profile profile by function
-- @tparam number factor how many units a sample is; a chain has a whole number of them
-- @tparam[opt] table pieces by number of a function: an array of its pieces, such as
--   lines, with the `ticks` of each; of those that it has not, all is one
-- @treturn {table,...} chains: `top`, the topmost link; links have an `id`, the number of
--   a function or cycle, or `TRUNCATED`, and `below`, the next one, nil in the last.
--   `weight`, in units. `piece`: the piece that it ends in
-- @treturn number the part of all time that chains with `TRUNCATED` have
function chains.of(profile, factor, pieces)
  local graph = { cycles = cycles_of(profile), chains = {}, count = 0 }
  graph.above, graph.stay = callers_of(profile, graph.cycles)
  local total, truncated = 0, 0
  for ticks in profile:functions("self", "ticks") do total = total + ticks end
  for id, ticks in profile:functions("self", "id", "ticks") do
    if ticks > 0 then
      add_chains(graph, id, math.floor(ticks * factor + 0.5),
        pieces and pieces[id] or undivided, LEAST * total / ticks)
    end
  end
  for _, chain in ipairs(graph.chains) do
    if chain.top.id == chains.TRUNCATED then truncated = truncated + chain.weight end
  end
  return graph.chains, total > 0 and truncated / (total * factor) or 0
end

--- Names of links, as functions and cycles are called, by number.
-- @tparam profile profile
-- @tparam[opt] function change of a name, which the format could not hold
-- @treturn {[integer]=string}
function chains.names(profile, change)
  change = change or function(name) return name end
  local function look_up(names, id)
    local name = change(profile:get(id, "name"))
    names[id] = name ~= "" and name or "[no name]"
    return names[id]
  end
  return setmetatable({ [chains.TRUNCATED] = "[truncated]" }, { __index = look_up })
end

return chains
