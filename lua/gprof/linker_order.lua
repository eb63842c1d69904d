--- Link orders that put callers and callees close together.
--
-- A program whose functions (or object files) are linked in such an order touches fewer
-- pages. The heuristics here are GNU gprof's: the calls are visited in descending order
-- of their counts. If caller and callee are in no chain yet, they form a new one; if one
-- of them is in a chain, the other is added to it. Then the chains are placed one after
-- the other. Hot functions, which have many callers, would separate the members of
-- chains, so they are placed first. The thresholds were found by experiment.
--
-- The heuristics know only nodes, which can be any values, and arcs between them:
--
--     local linker_order = require "gprof.linker_order"
--     local nodes = {}
--     for id in profile:functions("address", "id") do nodes[#nodes + 1] = id end
--     local arcs = linker_order.arcs(profile:arcs("count", "caller_id", "callee_id",
--       "count", "id"))
--     for _, id in ipairs(linker_order.functions(nodes, arcs)) do
--       print(profile:get(id, "symbol"))
--     end
--
-- `examples/call_chains.lua` is another heuristic.
--
-- @module gprof.linker_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = {}

-- The defaults of the options.
local defaults <const> = {
  hot_calls = 0.9, hot_share = 1 / 80, few_callers = 5, first_round = 0.99,
  second_round = 1,
}

-- Arcs ----------------------------------------------------------------------------------

--- Collects arcs in columns. Arcs from a node to itself are left out.
-- @tparam function ... an iterator over caller, callee, count and, optionally, the arc's
--   number in the order of creation: a positive integer (default: its place)
-- @treturn table the arrays `caller`, `callee`, `count` and `created` (that number; nil
--   if it is the place), in the iterator's order
function linker_order.arcs(...)
  local callers, callees, counts, created, n = {}, {}, {}, nil, 0
  for caller, callee, count, number in ... do
    if caller ~= callee then
      n = n + 1
      callers[n], callees[n], counts[n] = caller, callee, count
      if number then
        created = created or {}
        created[n] = number
      end
    end
  end
  return { caller = callers, callee = callees, count = counts, created = created }
end

--- Adds up the arcs between groups of nodes, such as the files of functions.
-- @tparam table group_of the group of each node: any value. Nodes without a group are
--   left out
-- @tparam function ... an iterator over caller, callee and count
-- @treturn table as from `linker_order.arcs`, sorted by count, descending; equal counts in
--   the order of their first arcs
function linker_order.grouped(group_of, ...)
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
  local i = 0
  return linker_order.arcs(function()
    i = i + 1
    if list[i] then return table.unpack(list[i]) end
  end)
end

-- Returns the sum of the counts of arcs: of those in `list`, or of all.
local function sum_counts(arcs, list)
  local counts, total = arcs.count, 0.0
  if list then
    for _, arc in ipairs(list) do total = total + counts[arc] end
  else
    for arc = 1, #counts do total = total + counts[arc] end
  end
  return total
end

-- Chains --------------------------------------------------------------------------------

-- A chain grows only at its ends, and chains are never joined. So the position of a node,
-- one less or one more than its neighbour's, never changes. The distances to both ends
-- follow from it, without walking the chain.

-- Links the first arcs of a list that together have a fraction of its calls. If neither
-- caller nor callee is in a chain, they form a new one. If one of them is in a chain, the
-- other goes to the nearer end of that chain; if both ends are equally near, a caller
-- goes to the front, and a callee to the back. Returns the chain of each node, the first
-- node of each chain, and the node after each node.
local function make_chains(state, list, fraction)
  local callers, callees = state.arcs.caller, state.arcs.callee
  local counts, settled, excluded = state.arcs.count, state.settled, state.excluded
  local chain_of, front, back, following, position = {}, {}, {}, {}, {}
  local total, running = sum_counts(state.arcs, list), 0.0

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

  for i = 1, list and #list or #counts do
    local arc = list and list[i] or i
    local caller, callee = callers[arc], callees[arc]
    running = running + counts[arc]
    if running / total > fraction then break end
    if not (excluded[arc] or settled[caller] or settled[callee]) then
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

-- An order being computed: `arcs`; `excluded`, the set of the numbers of arcs that rounds
-- skip; `settled`, the set of nodes that are not placed by rounds any more; and `order`,
-- the nodes placed so far.
local function new_state(arcs)
  return { arcs = arcs, excluded = {}, settled = {}, order = {} }
end

local function place(state, node)
  state.settled[node] = true
  state.order[#state.order + 1] = node
end

local function place_unsettled(state, nodes)
  for _, node in ipairs(nodes) do
    if not state.settled[node] then place(state, node) end
  end
end

-- Makes the chains of a list of arcs, or of all arcs. Then, for each of the arcs, places
-- the chain that contains its caller, unless caller or callee is settled.
local function run_round(state, list, fraction)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  local chain_of, front, following = make_chains(state, list, fraction)
  for i = 1, list and #list or #callers do
    local arc = list and list[i] or i
    local caller = callers[arc]
    local chain = chain_of[caller]
    if chain and not (settled[caller] or settled[callees[arc]]) then
      local node = front[chain]
      while node ~= nil do
        place(state, node)
        node = following[node]
      end
    end
  end
end

-- Returns the arcs that another round can link.
local function remaining(state)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  local list = {}
  for arc = 1, #callers do
    if not (state.excluded[arc] or settled[callers[arc]] or settled[callees[arc]]) then
      list[#list + 1] = arc
    end
  end
  return list
end

-- Hot functions -------------------------------------------------------------------------

-- Counts the arcs into each node, among the first arcs that make up a fraction of all
-- calls.
local function count_callers(arcs, fraction)
  local callees, counts, callers_of = arcs.callee, arcs.count, {}
  local total, running = sum_counts(arcs), 0.0
  for arc = 1, #counts do
    running = running + counts[arc]
    if running / total > fraction then break end
    local callee = callees[arc]
    callers_of[callee] = (callers_of[callee] or 0) + 1
  end
  return callers_of
end

-- Lists the hot nodes: those with the most callers, in descending order; equal ones keep
-- their order. The list ends before a node that has exactly `few_callers`.
local function find_hot(state, called, options)
  local callers_of = count_callers(state.arcs, options.hot_calls)
  local with, highest, hot = {}, 0, {}  -- the nodes with each number of callers
  for _, node in ipairs(called) do
    local count = callers_of[node] or 0
    with[count] = with[count] or {}
    table.insert(with[count], node)
    highest = math.max(highest, count)
  end
  local most = math.floor(#called * options.hot_share)
  for count = highest, 0, -1 do
    for _, node in ipairs(count ~= options.few_callers and with[count] or {}) do
      if #hot == most then return hot end
      hot[#hot + 1] = node
    end
    if count == options.few_callers and with[count] then return hot end
  end
  return hot
end

-- Lists the arcs into or out of hot nodes, the last created first.
local function youngest_first(arcs, is_hot)
  local created, list, number_of = arcs.created, {}, {}
  for arc = 1, #arcs.caller do
    if is_hot[arcs.caller[arc]] or is_hot[arcs.callee[arc]] then
      list[#list + 1], number_of[arc] = arc, created and created[arc] or arc
    end
  end
  table.sort(list, function(a, b)
    if number_of[a] ~= number_of[b] then return number_of[a] > number_of[b] end
    return a < b
  end)
  return list
end

-- Lists the arcs of hot nodes, node by node: first those out of the node, then those into
-- it, each with the last created first. An arc between two hot nodes is listed twice.
local function arcs_of(arcs, hot)
  local out, into, list = {}, {}, {}
  for _, node in ipairs(hot) do out[node], into[node] = {}, {} end
  for _, arc in ipairs(youngest_first(arcs, out)) do
    local from, to = out[arcs.caller[arc]], into[arcs.callee[arc]]
    if from then from[#from + 1] = arc end
    if to then to[#to + 1] = arc end
  end
  for _, node in ipairs(hot) do
    table.move(out[node], 1, #out[node], #list + 1, list)
    table.move(into[node], 1, #into[node], #list + 1, list)
  end
  return list
end

-- Excludes the arcs of hot nodes from rounds. Lists the arcs between two settled nodes
-- (hot, or not called), in descending order of calls; these nodes are then no longer
-- settled.
local function exclude_arcs(state, hot)
  local arcs, settled, joining, place_of = state.arcs, state.settled, {}, {}
  for _, arc in ipairs(arcs_of(arcs, hot)) do
    local caller, callee = arcs.caller[arc], arcs.callee[arc]
    state.excluded[arc] = true
    if settled[caller] and settled[callee] then
      joining[#joining + 1] = arc
      place_of[arc] = #joining
      settled[caller], settled[callee] = nil, nil
    end
  end
  table.sort(joining, function(a, b)
    local more, less = arcs.count[a] + 0.0, arcs.count[b] + 0.0
    if more ~= less then return more > less end
    return place_of[a] < place_of[b]
  end)
  return joining
end

-- Places the hot nodes that are still settled, then the callers of the arcs between them.
-- If `faulty`, the last hot node is skipped, as GNU gprof does by mistake.
local function place_hot(state, called, options)
  local arcs, settled = state.arcs, state.settled
  local hot = find_hot(state, called, options)
  for _, node in ipairs(hot) do settled[node] = true end
  local joining = exclude_arcs(state, hot)
  for i = 1, options.faulty and #hot - 1 or #hot do
    if settled[hot[i]] then place(state, hot[i]) end
  end
  for _, arc in ipairs(joining) do
    local caller = arcs.caller[arc]
    if not (settled[caller] or settled[arcs.callee[arc]]) then place(state, caller) end
  end
end

-- Orders --------------------------------------------------------------------------------

-- Divides nodes into those that were called and those that were not.
local function partition(arcs, nodes)
  local is_called, called, unused = {}, {}, {}
  for arc = 1, #arcs.callee do
    if arcs.count[arc] > 0 then is_called[arcs.callee[arc]] = true end
  end
  for _, node in ipairs(nodes) do
    local list = is_called[node] and called or unused
    list[#list + 1] = node
  end
  return called, unused
end

local function without_repetitions(list)
  local seen, kept = {}, {}
  for _, node in ipairs(list) do
    if not seen[node] then seen[node], kept[#kept + 1] = true, node end
  end
  return kept
end

local function complete(options)
  return setmetatable(options or {}, { __index = defaults })
end

--- Computes an order of functions.
-- @tparam table nodes array of the functions in address order
-- @tparam table arcs as `linker_order.arcs` makes them, sorted by count, descending; equal
--   counts in the order of creation
-- @tparam[opt] table options
--
--   - `hot_calls` (0.9): hot functions are found among the first arcs that together have
--     this fraction of all calls;
--   - `hot_share` (1/80): at most this fraction of the functions that were called is hot;
--   - `few_callers` (5): the search for hot functions ends at a function with this number
--     of callers;
--   - `first_round` (0.99), `second_round` (1): chains are made of the first arcs that
--     together have this fraction of the calls;
--   - `faulty`: reproduce GNU gprof's faults: the last hot function may be missing, and a
--     function that is never called may be listed twice
-- @treturn table array of the nodes, each once unless `faulty` is set
function linker_order.functions(nodes, arcs, options)
  options = complete(options)
  local state, called, unused = new_state(arcs), partition(arcs, nodes)
  for _, node in ipairs(unused) do state.settled[node] = true end
  place_hot(state, called, options)
  run_round(state, nil, options.first_round)
  run_round(state, remaining(state), options.second_round)
  place_unsettled(state, called)
  for _, node in ipairs(unused) do place(state, node) end
  return options.faulty and state.order or without_repetitions(state.order)
end

--- Computes an order of object files.
-- @tparam table nodes array of the files in address order
-- @tparam table arcs as `linker_order.arcs` makes them, in the order to process them.
--   Arcs from or to other nodes only add to the sum of all calls
-- @tparam[opt] table options `first_round`, as for `linker_order.functions`
-- @treturn table array of the nodes, each once
function linker_order.files(nodes, arcs, options)
  local state, known = new_state(arcs), {}
  for _, node in ipairs(nodes) do known[node] = true end
  for arc = 1, #arcs.caller do
    if not (known[arcs.caller[arc]] and known[arcs.callee[arc]]) then
      state.excluded[arc] = true
    end
  end
  run_round(state, nil, complete(options).first_round)
  place_unsettled(state, nodes)
  return state.order
end

--- Returns the mean distance of calls in an order: how many bytes are between the entries
-- of caller and callee. The shorter, the more likely both are on the same page.
-- @tparam table order array of nodes
-- @tparam table arcs as `linker_order.arcs` makes them
-- @tparam table sizes the size of each node, in bytes
-- @treturn number 0 without calls
function linker_order.distance(order, arcs, sizes)
  local at, place_of, sum, calls = 0, {}, 0.0, 0.0
  for _, node in ipairs(order) do
    place_of[node], at = at, at + (sizes[node] or 0)
  end
  for arc, caller in ipairs(arcs.caller) do
    local from, to, count = place_of[caller], place_of[arcs.callee[arc]], arcs.count[arc]
    if from and to then
      sum, calls = sum + math.abs(from - to) * count, calls + count
    end
  end
  return calls > 0 and sum / calls or 0
end

return linker_order
