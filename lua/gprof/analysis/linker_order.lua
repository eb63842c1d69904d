--- Computes link orders that put callers and callees close together.
--
-- A program whose functions (or object files) are linked in such an order touches fewer
-- pages. The algorithm visits the arcs of the call graph in descending order of calls. If
-- caller and callee are in no chain yet, they form a new one; if one of them is in a
-- chain, the other is added to it. Then the chains are placed one after the other. Hot
-- functions, which have many callers, would separate the members of chains, so they are
-- placed first.
--
-- This module knows only nodes, which are numbers, and arcs between them. The steps and
-- the constants below are GNU gprof's; the constants were found by experiment.
--
-- @internal gprof.analysis.linker_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = {}

-- Fractions of all calls. The search for hot functions uses only the first arcs that
-- together have the fraction HOT_CALLS of all calls. The first round of chains uses
-- MOST_CALLS in the same way, the second round ALL_CALLS.
local HOT_CALLS <const>, MOST_CALLS <const>, ALL_CALLS <const> = 0.9, 0.99, 1
-- Of the functions that were called, at most one in HOT_SHARE is hot. The search stops at
-- functions with exactly TOO_FEW_USES callers.
local HOT_SHARE <const>, TOO_FEW_USES <const> = 80, 5

--- Collects arcs in columns, except those from a node to itself.
-- @tparam function ... an iterator over caller, callee, count and the arc's number in the
--   order of creation
-- @treturn table the arrays `caller`, `callee`, `count` and `created` (that number), in
--   the iterator's order
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
-- A chain grows only at its ends, and chains are never joined. So the position of a node,
-- one less or one more than its neighbour's, never changes. The distances to both ends
-- follow from it, without walking the chain.

local function new_chains()
  return { of = {}, position = {}, following = {}, front = {}, back = {} }
end

local function prepend(chains, chain, node)
  local front = chains.front[chain]
  chains.of[node], chains.position[node] = chain, chains.position[front] - 1
  chains.following[node], chains.front[chain] = front, node
end

local function append(chains, chain, node)
  local back = chains.back[chain]
  chains.of[node], chains.position[node] = chain, chains.position[back] + 1
  chains.following[back], chains.back[chain] = node, node
end

-- Returns the numbers of nodes before and after a node in its chain.
local function distances(chains, chain, node)
  local position = chains.position
  return position[node] - position[chains.front[chain]],
    position[chains.back[chain]] - position[node]
end

-- Links caller and callee. If neither is in a chain, they form a new one. If one of them
-- is in a chain, the other goes to the nearer end of that chain; if both ends are equally
-- near, a caller goes to the front, and a callee to the back. If both are in chains,
-- nothing changes.
local function link(chains, caller, callee)
  local callers, callees = chains.of[caller], chains.of[callee]
  if callers and callees then return end
  if callees then
    local before, after = distances(chains, callees, callee)
    local add = before <= after and prepend or append
    add(chains, callees, caller)
  elseif callers then
    local before, after = distances(chains, callers, caller)
    local add = after <= before and append or prepend
    add(chains, callers, callee)
  else
    local chain = #chains.front + 1
    chains.of[caller], chains.position[caller] = chain, 0
    chains.front[chain], chains.back[chain] = caller, caller
    append(chains, chain, callee)
  end
end

-- Rounds ----------------------------------------------------------------------------
--
-- The state: `arcs`; `excluded`, the set of arcs that are not linked; `settled`, the set
-- of nodes that are placed or take no part in rounds; `order`, the nodes placed so far.

local function new_state(arcs)
  return { arcs = arcs, excluded = {}, settled = {}, order = {} }
end

local function place(state, node)
  state.settled[node] = true
  state.order[#state.order + 1] = node
end

-- The sum is a float, because an integer could wrap around.
local function sum(counts, list)
  local total = 0.0
  for _, arc in ipairs(list) do
    total = total + counts[arc]
  end
  return total
end

-- Links arcs from the start of a list, until they make up a given fraction of the list's
-- calls. Returns the chains.
local function make_chains(state, list, fraction)
  local arcs, excluded, settled = state.arcs, state.excluded, state.settled
  local callers, callees, counts = arcs.caller, arcs.callee, arcs.count
  local chains, total, running = new_chains(), sum(counts, list), 0.0
  for _, arc in ipairs(list) do
    running = running + counts[arc]
    if running / total > fraction then break end
    local caller, callee = callers[arc], callees[arc]
    if not (excluded[arc] or settled[caller] or settled[callee]) then
      link(chains, caller, callee)
    end
  end
  return chains
end

-- For each arc of a list, places the chain that contains the caller of the arc, unless
-- caller or callee is settled.
local function place_chains(state, list, chains)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  for _, arc in ipairs(list) do
    local caller = callers[arc]
    if chains.of[caller] and not settled[caller] and not settled[callees[arc]] then
      local node = chains.front[chains.of[caller]]
      while node do
        place(state, node)
        node = chains.following[node]
      end
    end
  end
end

-- Makes the chains of a list of arcs, and places them.
local function round(state, list, fraction)
  place_chains(state, list, make_chains(state, list, fraction))
end

-- Places the caller of each arc whose caller and callee are not settled yet.
local function place_callers(state, list)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  for _, arc in ipairs(list) do
    if not (settled[callers[arc]] or settled[callees[arc]]) then
      place(state, callers[arc])
    end
  end
end

-- Returns the arcs of a list that another round can link.
local function remaining(state, list)
  local callers, callees, settled = state.arcs.caller, state.arcs.callee, state.settled
  local left = {}
  for _, arc in ipairs(list) do
    if not (state.excluded[arc] or settled[callers[arc]] or settled[callees[arc]]) then
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

-- Counts the arcs into each node, among the first arcs that make up HOT_CALLS of all
-- calls.
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

-- Returns the first `most` nodes by uses, descending; equal ones keep their order. This
-- is a bucket sort, because there are few distinct numbers of uses.
local function most_used(nodes, uses, most)
  local buckets, numbers = {}, {}
  for _, node in ipairs(nodes) do
    local number = uses[node] or 0
    local bucket = buckets[number]
    if not bucket then
      bucket = {}
      buckets[number], numbers[#numbers + 1] = bucket, number
    end
    bucket[#bucket + 1] = node
  end
  table.sort(numbers, function(a, b) return a > b end)
  local first = {}
  for _, number in ipairs(numbers) do
    for _, node in ipairs(buckets[number]) do
      if #first == most or number == TOO_FEW_USES then return first end
      first[#first + 1] = node
    end
  end
  return first
end

-- Returns the arcs into or out of hot nodes, the last created first.
local function youngest_first(arcs, is_hot)
  local callers, callees = arcs.caller, arcs.callee
  local keys = {}
  for arc, number in ipairs(arcs.created) do
    if is_hot[callers[arc]] or is_hot[callees[arc]] then
      keys[#keys + 1] = number << 32 | arc  -- integers sort without a comparison function
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

local function append_if_list(list, value)
  if list then
    list[#list + 1] = value
  end
end

-- Returns the arcs of hot nodes, node by node: first those out of the node, then those
-- into it, each with the last created first. An arc between two hot nodes is listed
-- twice.
local function arcs_of(arcs, hot)
  local outward, inward = lists_for(hot), lists_for(hot)
  for _, arc in ipairs(youngest_first(arcs, outward)) do
    append_if_list(outward[arcs.caller[arc]], arc)
    append_if_list(inward[arcs.callee[arc]], arc)
  end
  local list = {}
  for _, node in ipairs(hot) do
    table.move(outward[node], 1, #outward[node], #list + 1, list)
    table.move(inward[node], 1, #inward[node], #list + 1, list)
  end
  return list
end

-- Sorts arcs by count, descending: a stable sort.
local function sort_by_count(list, counts)
  local position = {}
  for i, arc in ipairs(list) do
    position[arc] = i
  end
  table.sort(list, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return position[a] < position[b]
  end)
end

-- Excludes the arcs of hot nodes from rounds. Returns the arcs between two settled nodes
-- (hot, or not called), in descending order of calls; these nodes are then no longer
-- settled.
local function exclude_arcs(state, hot)
  local arcs, settled, joining = state.arcs, state.settled, {}
  for _, arc in ipairs(arcs_of(arcs, hot)) do
    local caller, callee = arcs.caller[arc], arcs.callee[arc]
    state.excluded[arc] = true
    if settled[caller] and settled[callee] then
      joining[#joining + 1] = arc
      settled[caller], settled[callee] = nil, nil
    end
  end
  sort_by_count(joining, arcs.count)  -- a short list: at most one arc per hot node
  return joining
end

-- Places the hot nodes that are still settled, then the callers of the arcs that
-- `exclude_arcs` returns. With `drop_last`, the last hot node is skipped, as GNU gprof
-- does by mistake.
local function place_hot(state, every, called, drop_last)
  local uses = count_uses(state.arcs, every)
  local hot = most_used(called, uses, #called // HOT_SHARE)
  for _, node in ipairs(hot) do
    state.settled[node] = true
  end
  local joining = exclude_arcs(state, hot)
  for i = 1, drop_last and #hot - 1 or #hot do
    if state.settled[hot[i]] then
      place(state, hot[i])
    end
  end
  place_callers(state, joining)
end

-- Orders ------------------------------------------------------------------------------

-- Divides nodes into those that were called and those that were not.
local function partition(nodes, arcs)
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

-- Returns a copy of a list without duplicates.
local function unique(list)
  local seen, result = {}, {}
  for _, node in ipairs(list) do
    if not seen[node] then
      seen[node] = true
      result[#result + 1] = node
    end
  end
  return result
end

--- Computes an order of functions.
-- @tparam {integer,...} nodes the functions in address order
-- @tparam table arcs as `linker_order.arcs` makes them, sorted by count, descending;
--   equal counts in the order of creation
-- @tparam[opt] boolean faulty reproduce GNU gprof's faults: the last hot function may be
--   missing, and a function that is never called may be listed twice
-- @treturn {integer,...} the nodes, each once unless `faulty` is true
function linker_order.functions(nodes, arcs, faulty)
  local state, every = new_state(arcs), all_of(arcs)
  local called, unused = partition(nodes, arcs)
  for _, node in ipairs(unused) do
    state.settled[node] = true
  end
  place_hot(state, every, called, faulty)
  round(state, every, MOST_CALLS)
  round(state, remaining(state, every), ALL_CALLS)
  for _, node in ipairs(called) do
    if not state.settled[node] then
      place(state, node)
    end
  end
  for _, node in ipairs(unused) do
    place(state, node)
  end
  return faulty and state.order or unique(state.order)
end

--- Computes an order of object files.
-- @tparam {integer,...} nodes the files in address order
-- @tparam table arcs as `linker_order.arcs` makes them, in the order to process them.
--   Arcs from or to other nodes only add to the sum of all calls
-- @treturn {integer,...} the nodes, each once
function linker_order.files(nodes, arcs)
  local state, every, known = new_state(arcs), all_of(arcs), {}
  for _, node in ipairs(nodes) do
    known[node] = true
  end
  for arc in ipairs(every) do
    state.excluded[arc] = not (known[arcs.caller[arc]] and known[arcs.callee[arc]])
  end
  round(state, every, MOST_CALLS)
  for _, node in ipairs(nodes) do
    if not state.settled[node] then
      place(state, node)
    end
  end
  return state.order
end

return linker_order
