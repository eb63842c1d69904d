--- Orders that keep near each other what calls each other.
--
-- A program whose functions (or object files) are linked in such an order touches fewer
-- pages while it runs. The idea: go through the arcs of the call graph, the busiest
-- first, and tie caller and callee together into chains, as long as one of them is
-- still free; then lay the chains one after the other. What nearly everybody calls
-- (hot functions) would tear chains apart, and goes in front.
--
-- This file is about numbers only: nodes, and arcs between them. The steps are those of
-- GNU gprof, which settled on them by experience; so are the shares and limits below.
--
-- @internal gprof.analysis.linker_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = {}

-- The share of all calls that the search for hot functions, and the first round of
-- chains, look at.
local HOT_CALLS <const>, MOST_CALLS <const>, ALL_CALLS <const> = 0.9, 0.99, 1
-- One in so many called functions can be hot, and no use of this number is.
local HOT_SHARE <const>, TOO_FEW_USES <const> = 80, 5

--- Collects arcs in columns. Those from a node to itself are left out.
-- @tparam function ... an iteration that gives caller, callee, count and the arc's
--   number in the order of creation
-- @treturn table the arrays `caller`, `callee`, `count` and `created` (that number), in
--   the order of the iteration
function linker_order.arcs(...)
  local callers, callees, counts, created = {}, {}, {}, {}
  local n = 0
  for caller, callee, count, number in ... do
    if caller ~= callee then
      n = n + 1
      callers[n], callees[n], counts[n], created[n] = caller, callee, count, number
    end
  end
  return { caller = callers, callee = callees, count = counts, created = created }
end

-- Chains ----------------------------------------------------------------------------
--
-- A chain grows at its ends only, and no two are ever joined. So each node keeps its
-- place, a number that is one less or one more than its neighbour's: how far it is to
-- both ends takes no walk.

local function new_chains()
  return { of = {}, place = {}, following = {}, front = {}, back = {} }
end

local function put_in_front(chains, chain, node)
  local front = chains.front[chain]
  chains.of[node], chains.place[node] = chain, chains.place[front] - 1
  chains.following[node], chains.front[chain] = front, node
end

local function put_behind(chains, chain, node)
  local back = chains.back[chain]
  chains.of[node], chains.place[node] = chain, chains.place[back] + 1
  chains.following[back], chains.back[chain] = node, node
end

-- How many nodes stand before and behind a node in its chain.
local function distances(chains, chain, node)
  local place = chains.place
  return place[node] - place[chains.front[chain]], place[chains.back[chain]] - place[node]
end

-- Ties caller and callee. One that is free goes to the nearer end of the other's chain:
-- callers to the front of it and callees to the back, where both are as near. Two of
-- whom none is free stay where they are.
local function tie(chains, caller, callee)
  local callers, callees = chains.of[caller], chains.of[callee]
  if callers and callees then return end
  if callees then
    local before, behind = distances(chains, callees, callee)
    local put = before <= behind and put_in_front or put_behind
    put(chains, callees, caller)
  elseif callers then
    local before, behind = distances(chains, callers, caller)
    local put = behind <= before and put_behind or put_in_front
    put(chains, callers, callee)
  else
    local chain = #chains.front + 1
    chains.of[caller], chains.place[caller] = chain, 0
    chains.front[chain], chains.back[chain] = caller, caller
    put_behind(chains, chain, callee)
  end
end

-- Rounds ----------------------------------------------------------------------------
--
-- The work's state: `arcs`; `aside`, by arc: is never tied; `settled`, by node: has its
-- place in the order, or takes no part in rounds; `order`, what was laid so far.

local function new_state(arcs)
  return { arcs = arcs, aside = {}, settled = {}, order = {} }
end

local function lay(state, node)
  state.settled[node] = true
  state.order[#state.order + 1] = node
end

-- The sum is a float, which never wraps.
local function sum(counts, list)
  local total = 0.0
  for _, arc in ipairs(list) do
    total = total + counts[arc]
  end
  return total
end

-- Ties the arcs of a list until so large a share of its calls is reached.
local function tie_list(state, list, share)
  local arcs, aside, settled = state.arcs, state.aside, state.settled
  local callers, callees, counts = arcs.caller, arcs.callee, arcs.count
  local chains, total, running = new_chains(), sum(counts, list), 0.0
  for _, arc in ipairs(list) do
    running = running + counts[arc]
    if running / total > share then break end
    local caller, callee = callers[arc], callees[arc]
    if not (aside[arc] or settled[caller] or settled[callee]) then
      tie(chains, caller, callee)
    end
  end
  return chains
end

-- Lays the chains in the order in which the list comes to their callers.
local function lay_chains(state, list, chains)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  for _, arc in ipairs(list) do
    local caller = callers[arc]
    if chains.of[caller] and not settled[caller] and not settled[callees[arc]] then
      local node = chains.front[chains.of[caller]]
      while node do
        lay(state, node)
        node = chains.following[node]
      end
    end
  end
end

-- One round over a list of arcs.
local function round(state, list, share)
  lay_chains(state, list, tie_list(state, list, share))
end

-- Lays the callers of a list's arcs that join two nodes without a place.
local function lay_callers(state, list)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  for _, arc in ipairs(list) do
    if not (settled[callers[arc]] or settled[callees[arc]]) then
      lay(state, callers[arc])
    end
  end
end

-- The arcs of a list that another round could tie.
local function untied(state, list)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  local left = {}
  for _, arc in ipairs(list) do
    if not (state.aside[arc] or settled[callers[arc]] or settled[callees[arc]]) then
      left[#left + 1] = arc
    end
  end
  return left
end

local function all_of(arcs)
  local list = {}
  for arc = 1, #arcs.count do
    list[arc] = arc
  end
  return list
end

-- Hot functions -----------------------------------------------------------------------

-- How many arcs lead to each node, among those that make up most of all calls.
local function count_uses(arcs, every)
  local uses, total, running = {}, sum(arcs.count, every), 0.0
  for _, arc in ipairs(every) do
    running = running + arcs.count[arc]
    if running / total > HOT_CALLS then break end
    local callee = arcs.callee[arc]
    uses[callee] = (uses[callee] or 0) + 1
  end
  return uses
end

-- The first `most` nodes by uses, descending; equal ones as they were. Numbers of uses
-- are few and small: nodes are dealt into a heap for each.
local function most_used(nodes, uses, most)
  local heaps, numbers = {}, {}
  for _, node in ipairs(nodes) do
    local number = uses[node] or 0
    local heap = heaps[number]
    if not heap then
      heap = {}
      heaps[number], numbers[#numbers + 1] = heap, number
    end
    heap[#heap + 1] = node
  end
  table.sort(numbers, function(a, b) return a > b end)
  local first = {}
  for _, number in ipairs(numbers) do
    for _, node in ipairs(heaps[number]) do
      if #first == most or number == TOO_FEW_USES then return first end
      first[#first + 1] = node
    end
  end
  return first
end

-- The arcs into or out of hot nodes, the youngest first.
local function youngest_first(arcs, is_hot)
  local callers, callees = arcs.caller, arcs.callee
  local keys = {}
  for arc, number in ipairs(arcs.created) do
    if is_hot[callers[arc]] or is_hot[callees[arc]] then
      keys[#keys + 1] = number << 32 | arc  -- integers sort without a comparison in Lua
    end
  end
  table.sort(keys)
  local list = {}
  for i = #keys, 1, -1 do
    list[#list + 1] = keys[i] & 0xffffffff
  end
  return list
end

local function lists_for(nodes)
  local lists = {}
  for _, node in ipairs(nodes) do
    lists[node] = {}
  end
  return lists
end

local function append(list, value)
  if list then
    list[#list + 1] = value
  end
end

-- The arcs of hot nodes, node by node: of each those out of it, then those into it, and
-- of these the youngest first. One between two hot nodes is there twice.
local function arcs_of(arcs, hot)
  local outward, inward = lists_for(hot), lists_for(hot)
  for _, arc in ipairs(youngest_first(arcs, outward)) do
    append(outward[arcs.caller[arc]], arc)
    append(inward[arcs.callee[arc]], arc)
  end
  local list = {}
  for _, node in ipairs(hot) do
    table.move(outward[node], 1, #outward[node], #list + 1, list)
    table.move(inward[node], 1, #inward[node], #list + 1, list)
  end
  return list
end

-- Sorts arcs by count, descending; equal ones stay in their order.
local function sort_by_count(list, counts)
  local place = {}
  for i, arc in ipairs(list) do
    place[arc] = i
  end
  table.sort(list, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return place[a] < place[b]
  end)
end

-- Sets the arcs of hot nodes aside. Those that join two nodes settled by now, hot or
-- not called by any, are returned, the busiest first, and their ends are free again.
local function set_aside(state, hot)
  local arcs, settled, joining = state.arcs, state.settled, {}
  for _, arc in ipairs(arcs_of(arcs, hot)) do
    local caller, callee = arcs.caller[arc], arcs.callee[arc]
    state.aside[arc] = true
    if settled[caller] and settled[callee] then
      joining[#joining + 1] = arc
      settled[caller], settled[callee] = nil, nil
    end
  end
  sort_by_count(joining, arcs.count)  -- few: each takes a hot node with it
  return joining
end

-- Lays what nearly everybody calls: hot nodes, but one that is called by another hot
-- one, or by one that nobody calls, waits for its caller to be laid.
local function lay_hot(state, every, called, lose_last)
  local uses = count_uses(state.arcs, every)
  local hot = most_used(called, uses, #called // HOT_SHARE)
  for _, node in ipairs(hot) do
    state.settled[node] = true
  end
  local joining = set_aside(state, hot)
  for i = 1, lose_last and #hot - 1 or #hot do
    if state.settled[hot[i]] then
      lay(state, hot[i])
    end
  end
  lay_callers(state, joining)
end

-- Orders ------------------------------------------------------------------------------

-- Which nodes were called, and which were not.
local function part(nodes, arcs)
  local is_called, called, unused = {}, {}, {}
  for arc, count in ipairs(arcs.count) do
    if count > 0 then
      is_called[arcs.callee[arc]] = true
    end
  end
  for _, node in ipairs(nodes) do
    local list = is_called[node] and called or unused
    list[#list + 1] = node
  end
  return called, unused
end

-- Without the second and later occurrences.
local function first_of_each(list)
  local seen, result = {}, {}
  for _, node in ipairs(list) do
    if not seen[node] then
      seen[node] = true
      result[#result + 1] = node
    end
  end
  return result
end

--- An order of functions.
-- @tparam {integer,...} nodes the functions in order of addresses
-- @tparam table arcs as `arcs` makes them, by count, descending; equal ones as they were
--   created
-- @tparam[opt] boolean faulty with GNU gprof's faults: the last hot function may be
--   missing, and a function that nobody calls may be there twice
-- @treturn {integer,...} the nodes, each once
function linker_order.functions(nodes, arcs, faulty)
  local state, every = new_state(arcs), all_of(arcs)
  local called, unused = part(nodes, arcs)
  for _, node in ipairs(unused) do
    state.settled[node] = true
  end
  lay_hot(state, every, called, faulty)
  round(state, every, MOST_CALLS)
  round(state, untied(state, every), ALL_CALLS)
  for _, node in ipairs(called) do
    if not state.settled[node] then
      lay(state, node)
    end
  end
  for _, node in ipairs(unused) do
    lay(state, node)
  end
  return faulty and state.order or first_of_each(state.order)
end

--- An order of object files.
-- @tparam {integer,...} nodes the files in order of addresses
-- @tparam table arcs as `arcs` makes them, in the order in which they are to be tied;
--   those with an end that is none of the nodes count in shares of all calls, no more
-- @treturn {integer,...} the nodes, each once
function linker_order.files(nodes, arcs)
  local state, every, known = new_state(arcs), all_of(arcs), {}
  for _, node in ipairs(nodes) do
    known[node] = true
  end
  for arc in ipairs(every) do
    state.aside[arc] = not (known[arcs.caller[arc]] and known[arcs.callee[arc]])
  end
  round(state, every, MOST_CALLS)
  for _, node in ipairs(nodes) do
    if not state.settled[node] then
      lay(state, node)
    end
  end
  return state.order
end

return linker_order
