--- Link orders that put callers and callees close together.
--
-- A program whose functions (or object files) are linked in such an order touches fewer
-- pages. The heuristics here are GNU gprof's: calls are visited in descending order of
-- their counts. If caller and callee are in no chain yet, they form a new one; if one
-- of them is in a chain, the other is added to it. Then the chains are placed one after
-- the other. Hot functions, which have many callers, would separate the members of
-- chains, so they are placed first. The thresholds were found by experiment.
--
-- The heuristics know only nodes, which can be any values, and arcs between them. Arcs
-- are given as a function that returns an iterator over them, and is called several
-- times: so even millions of arcs need no memory.
--
--     local linker_order = require "gprof.linker_order"
--     local nodes = {}
--     for id in profile:functions("address", "id") do nodes[#nodes + 1] = id end
--     for _, id in ipairs(linker_order.functions(nodes, linker_order.calls(profile))) do
--       print(profile:get(id, "symbol"))
--     end
--
-- `examples/call_chains.lua` has another heuristic, which the report `function_order`
-- takes as the option `heuristic`.
--
-- @module gprof.linker_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"

local linker_order = {}

-- The defaults of the options.
local defaults <const> = {
  hot_calls = 0.9, hot_share = 80, few_callers = 5, first_round = 0.99,
  second_round = 1,
}

-- Arcs ----------------------------------------------------------------------------------

--- Returns the calls of a profile as arcs.
-- @tparam profile profile
-- @treturn function returns an iterator over the numbers of caller and callee, the count,
--   and the number of the arc; by count, descending, and in the order of creation
function linker_order.calls(profile)
  arguments.check(profile, "gprof.profile", 1, "calls")
  return function()
    return profile:arcs("count", "caller_id", "callee_id", "count", "id")
  end
end

--- Returns arcs as a function that iterates over them.
-- @tparam table list array of arcs { caller, callee, count, number }; see
--   `linker_order.functions`
-- @treturn function returns an iterator over these values
function linker_order.arcs(list)
  arguments.check(list, "table", 1, "arcs")
  return function()
    local i = 0
    return function()
      i = i + 1
      if list[i] then return table.unpack(list[i]) end
    end
  end
end

--- Adds up the arcs between groups of nodes, such as the files of functions.
-- @tparam table group_of the group of each node: any value. Nodes without a group are
--   left out
-- @tparam function ... an iterator over caller, callee and count
-- @treturn function arcs by count, descending; equal counts in the order of their first
--   arcs
function linker_order.grouped(group_of, ...)
  arguments.check(group_of, "table", 1, "grouped")
  arguments.check((...), "function", 2, "grouped")
  local list, known = {}, {}
  for caller, callee, count in ... do
    local from, to = group_of[caller], group_of[callee]
    if from ~= nil and to ~= nil then
      known[from] = known[from] or {}
      local arc = known[from][to]
      if not arc then
        arc = { from, to, 0.0, #list + 1 }  -- a float: sums never wrap
        known[from][to], list[#list + 1] = arc, arc
      end
      arc[3] = arc[3] + count
    end
  end
  table.sort(list, function(a, b)
    if a[3] ~= b[3] then return a[3] > b[3] end
    return a[4] < b[4]
  end)
  return linker_order.arcs(list)
end

-- Checks the arguments that the functions for orders have in common.
local function check(nodes, arcs, options, name)
  arguments.check(nodes, "table", 1, name, 4)
  arguments.check(arcs, "function", 2, name, 4)
  if options ~= nil then arguments.check(options, "table", 3, name, 4) end
end

-- Returns the sum of the counts of arcs, and unsettles the nodes that were called by
-- others.
local function survey(state, arcs)
  local settled, total = state.settled, 0.0
  for caller, callee, count in arcs() do
    if caller ~= callee then
      total = total + count
      if count > 0 then settled[callee] = false end
    end
  end
  return total
end

-- Chains --------------------------------------------------------------------------------

-- A chain grows only at its ends, and chains are never joined. So the position of a node,
-- one less or one more than its neighbour's, never changes. The distances to both ends
-- follow from it, without walking the chain.

-- Links the first arcs that together have a fraction of the calls, `total`. If neither
-- caller nor callee is in a chain, they form a new one. If one of them is in a chain, the
-- other goes to the nearer end of that chain; if both ends are equally near, a caller
-- goes to the front, and a callee to the back. Returns the chain of each node, the first
-- node of each chain, and the node after each node.
local function make_chains(state, arcs, total, fraction)
  local settled, excluded, running = state.settled, state.excluded, 0.0
  local chain_of, front, back, following, position = {}, {}, {}, {}, {}

  -- Returns how many more nodes are before a node in its chain than after it.
  local function imbalance(node, chain)
    return 2 * position[node] - position[front[chain]] - position[back[chain]]
  end

  local function prepend(chain, node)
    local first = front[chain]
    chain_of[node], position[node] = chain, position[first] - 1
    following[node], front[chain] = first, node
  end

  local function append(chain, node)
    local last = back[chain]
    chain_of[node], position[node] = chain, position[last] + 1
    following[last], back[chain] = node, node
  end

  for caller, callee, count in arcs() do
    local is_other = caller ~= callee
    if is_other then running = running + count end
    if running / total > fraction then break end
    if is_other and not (settled[caller] or settled[callee] or excluded[caller] or
      excluded[callee])
    then
      local chain, other = chain_of[caller], chain_of[callee]
      if other and not chain then
        (imbalance(callee, other) <= 0 and prepend or append)(other, caller)
      elseif chain and not other then
        (imbalance(caller, chain) >= 0 and append or prepend)(chain, callee)
      elseif not chain then
        chain = #front + 1
        chain_of[caller], position[caller] = chain, 0
        front[chain], back[chain] = caller, caller
        append(chain, callee)
      end
    end
  end
  return chain_of, front, following
end

-- Rounds --------------------------------------------------------------------------------

-- `settled` of nodes that are never called, until they are placed.
local UNCALLED <const> = "uncalled"

-- An order being computed: `settled`, for each node whether rounds do not place it (any
-- more); `excluded`, the set of nodes whose arcs rounds do not link; `joined`, the set of
-- uncalled nodes that hot nodes call; and `order`, the nodes placed so far.
local function new_state(nodes, settled)
  local state = { settled = {}, excluded = {}, joined = {}, order = {} }
  for _, node in ipairs(nodes) do state.settled[node] = settled end
  return state
end

local function place(state, node)
  state.settled[node] = true
  state.order[#state.order + 1] = node
end

local function place_unsettled(state, nodes)
  for _, node in ipairs(nodes) do
    if not (state.settled[node] or state.joined[node]) then place(state, node) end
  end
end

-- Places nodes that are never called, unless a round has placed them. GNU gprof places
-- these twice.
local function place_uncalled(state, nodes, twice)
  local settled, joined = state.settled, state.joined
  for _, node in ipairs(nodes) do
    if settled[node] == UNCALLED or joined[node] and (twice or not settled[node]) then
      place(state, node)
    end
  end
end

-- Makes chains; see make_chains. Then, for each of the arcs, places the chain that
-- contains its caller, unless caller or callee is settled, until all are placed.
local function run_round(state, arcs, total, fraction)
  local settled = state.settled
  local chain_of, front, following = make_chains(state, arcs, total, fraction)
  local left = #front
  for caller, callee in arcs() do
    if left == 0 then return end
    local chain = chain_of[caller]
    if chain and caller ~= callee and not (settled[caller] or settled[callee]) then
      local node = front[chain]
      left = left - 1
      while node ~= nil do
        place(state, node)
        node = following[node]
      end
    end
  end
end

-- Returns the arcs that another round can link.
local function remaining(state, arcs)
  local settled, excluded = state.settled, state.excluded
  return function()
    local each = arcs()
    return function()
      for caller, callee, count in each do
        if caller ~= callee and not (settled[caller] or settled[callee] or
          excluded[caller] or excluded[callee])
        then
          return caller, callee, count
        end
      end
    end
  end
end

-- Hot functions -------------------------------------------------------------------------

-- Counts the arcs into each node, among the first arcs that make up a fraction of all
-- calls.
local function count_callers(arcs, total, fraction)
  local callers_of, running = {}, 0.0
  for caller, callee, count in arcs() do
    if caller ~= callee then
      running = running + count
      if running / total > fraction then break end
      callers_of[callee] = (callers_of[callee] or 0) + 1
    end
  end
  return callers_of
end

-- Lists the hot nodes: those with the most callers, in descending order; equal ones keep
-- their order. The list ends before a node that has exactly `few_callers`.
local function find_hot(state, nodes, arcs, total, options)
  local callers_of = count_callers(arcs, total, options.hot_calls)
  local called, hot, rest, place_of = 0, {}, {}, {}
  for i, node in ipairs(nodes) do
    if not state.settled[node] then
      called = called + 1
      if callers_of[node] then
        hot[#hot + 1], place_of[node] = node, i
      elseif #rest < #nodes // options.hot_share then
        rest[#rest + 1] = node
      end
    end
  end
  table.sort(hot, function(a, b)
    if callers_of[a] ~= callers_of[b] then return callers_of[a] > callers_of[b] end
    return place_of[a] < place_of[b]
  end)
  local most = called // options.hot_share
  table.move(rest, 1, most - #hot, #hot + 1, hot)
  for i, node in ipairs(hot) do
    if i > most or callers_of[node] == options.few_callers then
      return table.move(hot, 1, i - 1, 1, {})
    end
  end
  return hot
end

-- Lists the arcs { caller, callee, count, number } of hot nodes, node by node: first
-- those out of the node, then those into it, each with the last created first. An arc
-- between two hot nodes is listed twice.
local function arcs_of(arcs, hot)
  local out, into, list, young = {}, {}, {}, {}
  for _, node in ipairs(hot) do out[node], into[node] = {}, {} end
  for caller, callee, count, number in arcs() do
    if caller ~= callee and (out[caller] or into[callee]) then
      young[#young + 1] = { caller, callee, count, number or #young + 1 }
    end
  end
  table.sort(young, function(a, b) return a[4] > b[4] end)
  for _, arc in ipairs(young) do
    local from, to = out[arc[1]], into[arc[2]]
    if from then from[#from + 1] = arc end
    if to then to[#to + 1] = arc end
  end
  for _, node in ipairs(hot) do
    table.move(out[node], 1, #out[node], #list + 1, list)
    table.move(into[node], 1, #into[node], #list + 1, list)
  end
  return list
end

-- Lists the arcs of hot nodes between two settled nodes (hot, or uncalled), in descending
-- order of calls. These nodes are then no longer settled.
local function join_hot(state, arcs, hot)
  local settled, joining, place_of = state.settled, {}, {}
  for _, arc in ipairs(arcs_of(arcs, hot)) do
    local caller, callee = arc[1], arc[2]
    if settled[caller] and settled[callee] then
      joining[#joining + 1] = arc
      place_of[arc] = #joining
      for i = 1, 2 do
        state.joined[arc[i]] = state.joined[arc[i]] or settled[arc[i]] == UNCALLED or nil
        settled[arc[i]] = false
      end
    end
  end
  table.sort(joining, function(a, b)
    local more, less = a[3] + 0.0, b[3] + 0.0
    if more ~= less then return more > less end
    return place_of[a] < place_of[b]
  end)
  return joining
end

-- Places the hot nodes that are still settled, then the callers of the arcs between them.
-- If `faulty`, the last hot node is skipped, as GNU gprof does by mistake.
local function place_hot(state, arcs, hot, faulty)
  local settled = state.settled
  for _, node in ipairs(hot) do settled[node], state.excluded[node] = true, true end
  local joining = join_hot(state, arcs, hot)
  for i = 1, faulty and #hot - 1 or #hot do
    if settled[hot[i]] then place(state, hot[i]) end
  end
  for _, arc in ipairs(joining) do
    local caller, callee = arc[1], arc[2]
    if not (settled[caller] or settled[callee]) then place(state, caller) end
  end
end

-- Orders --------------------------------------------------------------------------------

local function complete(options)
  local all = {}
  for name, value in pairs(defaults) do all[name] = value end
  for name, value in pairs(options or {}) do all[name] = value end
  return all
end

--- Computes an order of functions.
-- @tparam table nodes array of the functions in address order
-- @tparam function arcs returns an iterator over caller, callee, count and number of the
--   arcs, sorted by count, descending; equal counts in the order of creation. The number,
--   an integer, is the place in that order (default: the place in the iteration)
-- @tparam[opt] table options
--
--   - `hot_calls` (0.9): hot functions are found among the first arcs that together have
--     this fraction of all calls;
--   - `hot_share` (80): at most one in `hot_share` of the functions that were called is
--     hot;
--   - `few_callers` (5): the search for hot functions ends at a function with this number
--     of callers;
--   - `first_round` (0.99), `second_round` (1): chains are made of the first arcs that
--     together have this fraction of the calls;
--   - `faulty`: reproduce GNU gprof's faults: the last hot function may be missing, and a
--     function that is never called may be listed twice
-- @treturn table array of the nodes, each once unless `faulty` is set
function linker_order.functions(nodes, arcs, options)
  check(nodes, arcs, options, "functions")
  options = complete(options)
  local state = new_state(nodes, UNCALLED)
  local total = survey(state, arcs)
  local hot = find_hot(state, nodes, arcs, total, options)
  place_hot(state, arcs, hot, options.faulty)
  run_round(state, arcs, total, options.first_round)
  local rest, fraction = remaining(state, arcs), options.second_round
  local sum = fraction >= 1 and math.huge or 0.0
  if fraction < 1 then  -- otherwise, all arcs make chains anyway
    for _, _, count in rest() do sum = sum + count end
  end
  run_round(state, rest, sum, fraction)
  place_unsettled(state, nodes)
  place_uncalled(state, nodes, options.faulty)
  return state.order
end

--- Orders functions of a profile.
-- @tparam profile profile
-- @tparam {integer,...} nodes numbers of functions, in address order
-- @tparam[opt] function heuristic takes nodes, arcs and profile, returns an array of the
--   nodes; by default GNU gprof's heuristic
-- @tparam[opt] table options of `linker_order.functions`
-- @treturn {integer,...} the nodes
function linker_order.of_profile(profile, nodes, heuristic, options)
  arguments.check(profile, "gprof.profile", 1, "of_profile")
  arguments.check(nodes, "table", 2, "of_profile")
  if heuristic ~= nil then arguments.check(heuristic, "function", 3, "of_profile") end
  if options ~= nil then arguments.check(options, "table", 4, "of_profile") end
  local arcs = linker_order.calls(profile)
  if heuristic then return heuristic(nodes, arcs, profile) end
  return linker_order.functions(nodes, arcs, options)
end

--- Computes an order of object files.
-- @tparam table nodes array of the files in address order
-- @tparam function arcs as for `linker_order.functions`, in the order to process them.
--   Arcs from or to other nodes only add to the sum of all calls
-- @tparam[opt] table options `first_round`, as for `linker_order.functions`
-- @treturn table array of the nodes, each once
function linker_order.files(nodes, arcs, options)
  check(nodes, arcs, options, "files")
  local state = new_state(nodes, false)
  for caller, callee in arcs() do  -- other nodes
    for _, node in ipairs { caller, callee } do
      if state.settled[node] == nil then state.excluded[node] = true end
    end
  end
  local total = survey(state, arcs)
  run_round(state, arcs, total, complete(options).first_round)
  place_unsettled(state, nodes)
  return state.order
end

--- Returns the mean distance of calls in an order: how many bytes are between the entries
-- of caller and callee. The shorter, the more likely both are on the same page.
-- @tparam table order array of nodes
-- @tparam function arcs as for `linker_order.functions`
-- @tparam table sizes the size of each node, in bytes
-- @treturn number 0 without calls
function linker_order.distance(order, arcs, sizes)
  check(order, arcs, nil, "distance")
  arguments.check(sizes, "table", 3, "distance")
  local at, place_of, sum, calls = 0, {}, 0.0, 0.0
  for _, node in ipairs(order) do
    place_of[node], at = at, at + (sizes[node] or 0)
  end
  for caller, callee, count in arcs() do
    local from, to = place_of[caller], place_of[callee]
    if from and to then
      sum, calls = sum + math.abs(from - to) * count, calls + count
    end
  end
  return calls > 0 and sum / calls or 0
end

return linker_order
