--- Chains of calls, from a root down to where time was spent, as far as a call graph can
-- tell of them: an estimate.
--
-- A profile knows how often a function was called by each of its callers, and not on
-- behalf of whom these were called. So it is taken for granted that all calls of a
-- function cost the same (see gprof.analysis.callers). Then the time of a function goes
-- up along its callers, to each by its share of the calls, and on from there; what comes
-- to the top has told the chain. The time of each function is exact, whatever becomes of
-- the chains; and the time of all chains with a function in them is its time with its
-- children's, as in the call graph. The cycle as a whole is a link of the chain, above
-- the function.
--
-- There can be any number of chains. One that has come to carry next to no time, or to be
-- very long, begins with TRUNCATED where it is left; so do all when there are too many.
--
-- @internal gprof.analysis.chains
-- SPDX-License-Identifier: GPL-3.0-or-later

local apportion = require "gprof.analysis.apportion"
local callers = require "gprof.analysis.callers"

local chains = {}

-- The least that is followed, of all time and of that of the function below; how deep, in
-- links; and how many chains and links there may be before nothing is followed any more.
local LEAST <const>, LEAST_OWN <const> = 1e-4, 0.05
local DEEPEST <const> = 128
local MOST_CHAINS <const>, MOST_LINKS <const> = 100000, 1000000

--- What stands in a chain for callers that were not followed.
chains.TRUNCATED = 0

-- Goes up from a function. `emit` gets the topmost link of each chain, and its part of
-- the time; links lead downwards.
local function climb(graph, id, least, emit)
  local stack = { { link = { id = id }, part = 1, depth = 1 } }
  while stack[1] do
    local at = table.remove(stack)
    local link = at.link
    local cycle = not graph.stay[link.id] and graph.cycles[link.id]
    if cycle then link = { id = cycle, below = link } end
    local above, left = graph.above[link.id] or {}, at.part
    graph.links = graph.links + 1
    local followed = at.part >= least and at.depth < DEEPEST and
      graph.count < MOST_CHAINS and graph.links < MOST_LINKS
    if above[1] and not followed then
      emit({ id = chains.TRUNCATED, below = link }, at.part)
    else
      for i = #above, 1, -1 do
        local caller = above[i]
        left = left - at.part * caller.part
        stack[#stack + 1] = { link = { id = caller.id, below = link },
          part = at.part * caller.part, depth = at.depth + 1 }
      end
      if not above[1] or left > 1e-9 * at.part then emit(link, left) end
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
  for i, share in ipairs(apportion.divide(weight, sizes)) do
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
  local graph = callers.of(profile)
  graph.chains, graph.count, graph.links = {}, 0, 0
  local total, truncated = 0, 0
  for ticks in profile:functions("self", "ticks") do total = total + ticks end
  for id, ticks in profile:functions("self", "id", "ticks") do
    if ticks > 0 then
      add_chains(graph, id, math.floor(ticks * factor + 0.5),
        pieces and pieces[id] or undivided, math.min(LEAST * total / ticks, LEAST_OWN))
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
