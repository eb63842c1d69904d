--- Makes the call tree, from the roots down to the functions where time was spent. It
-- consists of the chains of gprof.analysis.chains, with common prefixes merged.
--
-- If the profile's times are measured, so is the tree (see csrc/profile/stack_tree.h).
-- Otherwise it is estimated, as follows.
--
-- A node is a function or a cycle, called through all nodes above it. All calls of a
-- function are assumed to cost the same (see gprof.analysis.callers), so a node's time is
-- divided among its callees in the same proportions as the time of the whole function.
-- The number of nodes can be exponential, and most have very little time. So the heaviest
-- node is expanded first, up to a maximum number of nodes. The time below a node that is
-- not expanded is its `rest`.
--
-- @internal gprof.analysis.call_tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local callees = require "gprof.analysis.callees"
local callers = require "gprof.analysis.callers"
local core = require "gprof.core"
local extract = require "gprof.analysis.extract"
local guesses = require "gprof.analysis.guesses"
local inlined_code = require "gprof.analysis.inlined_code"
local inlined_copies = require "gprof.analysis.inlined_copies"

local call_tree = {}

-- Default limits: the smallest fraction of the total time that a node can have, the
-- largest number of nodes, and the largest depth.
local MIN_PART <const>, MAX_NODES <const>, MAX_DEPTH <const> = 1e-5, 32768, 1000

-- Rounding may leave this fraction of a function's time without a caller. A function with
-- a larger fraction is a root.
local NOISE <const> = 1e-9

-- Reverses the arcs of the graph of callers. Returns the columns of rows (see
-- gprof.analysis.callees): the fraction of a callee's time that propagates to a caller.
-- Also returns, by id, the fraction of a function's own time that propagates to its
-- callers.
local function reverse(graph, ids)
  local uppers, lowers, lower_parts, n = {}, {}, {}, 0
  local called, stack, above, parts, before = {}, {}, graph.caller, graph.part,
    graph.before
  for _, id in ipairs(ids) do
    local cycle, sum = not graph.stay[id] and graph.cycles[id], 0
    if cycle then
      n = n + 1
      uppers[n], lowers[n], lower_parts[n] = cycle, id, 1
      sum = 1
    end
    local row, count = graph.last[id] or 0, 0
    while row > 0 do
      count = count + 1
      stack[count], row = row, before[row]
    end
    for i = count, 1, -1 do
      local from = stack[i]
      local part = parts[from]
      n = n + 1
      uppers[n], lowers[n], lower_parts[n] = above[from], id, part
      sum = sum + part
    end
    called[id] = sum
  end
  return { upper = uppers, lower = lowers, part = lower_parts }, called
end

-- Returns a table from ids to total times: self time plus the time of callees. This is an
-- iterative depth-first search; the graph is acyclic, because each cycle is one node
-- above its members.
local function total_times(self, rows, ids)
  local total, at, stack = {}, {}, {}
  local first, last, lowers, parts = rows.first, rows.last, rows.lower, rows.part
  local function finish(id)
    local sum = self[id] or 0
    for row = first[id] or 1, last[id] or 0 do
      sum = sum + parts[row] * total[lowers[row]]
    end
    total[id], stack[#stack] = sum, nil
  end
  for _, id in ipairs(ids) do
    if not total[id] then stack[1] = id end
    while stack[1] do
      local node = stack[#stack]
      local row, past = at[node] or first[node] or 1, last[node] or 0
      while row <= past and total[lowers[row]] do row = row + 1 end
      at[node] = row
      if row <= past then stack[#stack + 1] = lowers[row] else finish(node) end
    end
  end
  return total
end

-- Returns the times of functions, of which `parts` are the parts that count, as columns:
-- `ids` and `times`, the heaviest first.
local function by_time(ids, parts, total)
  local order, times, sorted = {}, {}, { ids = {}, times = {} }
  for i, id in ipairs(ids) do order[i], times[i] = i, parts[i] * total[id] end
  if order[2] then
    table.sort(order, function(a, b)
      if times[a] ~= times[b] then return times[a] > times[b] end
      return ids[a] < ids[b]
    end)
  end
  for i, place in ipairs(order) do
    sorted.ids[i], sorted.times[i] = ids[place], times[place]
  end
  return sorted
end

-- Returns a part of 1 for each of the ids.
local function whole_parts(ids)
  local parts = {}
  for i in ipairs(ids) do parts[i] = 1 end
  return parts
end

-- Adds inlined functions below the compiled functions of `graph`, with keys above all ids
-- (see gprof.analysis.inlined_code). The time of a compiled function is then that of its
-- own code. `columns`: those of `reverse`. Returns a table from keys to ids of functions,
-- the keys of the nodes of the trees, and the highest key.
local function add_inlined(trees, ids, self, columns, called)
  local last, keys, names = 0, {}, {}
  for _, id in ipairs(ids) do self[id], last = 0, math.max(last, id) end
  for node, id in ipairs(trees.id) do
    local outer = trees.outer[node]
    local key = outer == 0 and id or last + node
    keys[node], self[key] = key, trees.ticks[node]
    if outer > 0 then
      ids[#ids + 1], names[key], called[key] = key, id, 1
      local n = #columns.upper + 1
      columns.upper[n], columns.lower[n], columns.part[n] = keys[outer], key, 1
    end
  end
  return names, keys, last + #trees.id
end

-- Returns the keys of the functions `from`, wherever they were inlined.
local function root_keys(from, trees, keys, join)
  local roots, copies = {}, inlined_copies.find(from, trees, keys)
  for i, id in ipairs(from) do roots[i] = join(id, copies[id]) end
  return roots
end

-- Returns the functions whose time is not propagated to callers, and the parts that are
-- not.
local function find_roots(ids, called, total)
  local roots, parts = {}, {}
  for _, id in ipairs(ids) do
    local part = 1 - (called[id] or 0)
    if part > NOISE and total[id] > 0 then
      roots[#roots + 1], parts[#parts + 1] = id, part
    end
  end
  return roots, parts
end

-- A graph has the methods
--
-- - `roots()`: returns the roots as two arrays, the heaviest first: their ids in the
--   graph, and their times in ticks;
-- - `node(id)`: returns the id of a function or cycle, its self time and its total time;
-- - `below(id, least)`: returns the callees like `roots`, perhaps without those with less
--   time than `least`; and the number of all callees.
--
-- An estimated one has the graph of `callers`, too.

-- Returns the estimated graph from the roots, or the functions `from`, down.
local function estimated_graph(profile, from)
  local graph, ids, self = callers.of(profile), {}, {}
  for id, ticks in profile:functions("address", "id", "ticks") do
    ids[#ids + 1], self[id] = id, ticks
  end
  for cycle in profile:cycles() do ids[#ids + 1] = cycle.id end
  local calls, called = reverse(graph, ids)
  local trees = inlined_code.of(profile)
  local names, keys, last = {}, nil, 0
  if trees then names, keys, last = add_inlined(trees, ids, self, calls, called) end
  local rows = callees.new(calls)
  local total = total_times(self, rows, ids)
  local join, open = inlined_copies.joiner(
    { names = names, self = self, total = total, rows = rows }, last)
  local roots, parts
  if from then
    roots = trees and root_keys(from, trees, keys, join) or from
    parts = whole_parts(roots)
  else
    roots, parts = find_roots(ids, called, total)
  end
  local sorted = {}
  return {
    callers = graph,
    roots = function()
      local columns = by_time(roots, parts, total)
      return columns.ids, columns.times
    end,
    node = function(id) return names[id] or id, self[id] or 0, total[id] end,
    below = function(id, least)
      local columns = sorted[id]
      if not columns then
        open(id)
        if least == math.huge then return {}, {}, callees.count(rows, id) end
        local lowers, lower_parts = callees.of(rows, id)
        columns = by_time(lowers, lower_parts, total)
        sorted[id] = columns
      end
      return columns.ids, columns.times, #columns.ids
    end,
  }
end

-- Returns the measured graph. It is a tree whose nodes have ids of their own.
local function measured_graph(profile, from)
  local tree = core.stack_tree(profile, from)
  return {
    roots = function() return tree:below(0, 0) end,
    node = function(id) return tree:node(id) end,
    below = function(id, least) return tree:below(id, least) end,
  }
end

-- The nodes to expand form a binary heap: the heaviest first; of equal ones, the oldest,
-- which has the lowest number.

-- Adds a node that is younger than all others.
local function push(heap, node, weights)
  local at, weight = #heap + 1, weights[node]
  while at > 1 and weights[heap[at // 2]] < weight do
    heap[at], at = heap[at // 2], at // 2
  end
  heap[at] = node
end

local function pop(heap, weights)
  local first, last, at = heap[1], table.remove(heap), 1
  local count, weight = #heap, weights[last]
  if count == 0 then return first end
  while 2 * at <= count do
    local lower = 2 * at
    local node = heap[lower]
    local heaviest, other = weights[node], heap[lower + 1]
    local others = other and weights[other] or -1
    if others > heaviest or others == heaviest and other < node then
      lower, node, heaviest = lower + 1, other, others
    end
    if heaviest < weight or heaviest == weight and last < node then break end
    heap[at], at = node, lower
  end
  heap[at] = last
  return first
end

local function round(number)
  return math.floor(number + 0.5)
end

-- Appends a node. `place` is its id in the graph. The other columns are set when the node
-- is expanded; they have a value until then, so that they remain arrays.
local function append(tree, parent, place, id, weight)
  local number = tree.count + 1
  tree.count = number
  tree.place[number], tree.id[number], tree.weight[number] = place, id, weight
  tree.parent[number], tree.depth[number] = parent, tree.depth[parent] + 1
  tree.self[number], tree.rest[number], tree.hidden[number] = 0, 0, 0
  tree.first[number], tree.last[number] = 0, -1
  return number
end

-- Divides the weight of a node into its self weight, its children, and the rest. Rounds
-- running sums instead of parts, so that the weights add up exactly. The node has `count`
-- callees; those past the end of the arrays `places` and `times` are too light.
local function expand(build, node, own, places, times, count, units)
  local tree, graph, sum = build.tree, build.graph, own
  local is_deepest, before = tree.depth[node] >= build.deepest, round(own * units)
  tree.self[node], tree.first[node], tree.last[node] = before, tree.count + 1, tree.count
  for i = 1, count do
    local time = times[i]
    if not time or time * units < build.least or tree.count >= build.most or
      is_deepest
    then
      tree.rest[node], tree.hidden[node] = tree.weight[node] - before, count - i + 1
      return
    end
    sum = sum + time
    local after, id = round(sum * units), graph.node(places[i])
    local child = append(tree, node, places[i], id, after - before)
    tree.last[node], before = child, after
    push(build.heap, child, tree.weight)
  end
end

local function expand_node(build, node)
  local graph, tree = build.graph, build.tree
  local place, weight = tree.place[node], tree.weight[node]
  local _, own, whole = graph.node(place)
  local units = whole > 0 and weight / whole or 0
  local has_room = units > 0 and tree.count < build.most
  local places, times, count = graph.below(place, has_room and build.least / units or
    math.huge)
  expand(build, node, own, places, times, count, units)
end

-- Expands nodes, the heaviest first. The order of those that find no room does not
-- matter.
local function expand_all(build)
  local heap, tree = build.heap, build.tree
  while heap[1] and tree.count < build.most do
    expand_node(build, pop(heap, tree.weight))
  end
  for _, node in ipairs(heap) do expand_node(build, node) end
end

-- Adds the column `certain`: the part of each weight that is not guessed. Functions that
-- were inlined have keys of their own as places.
local function add_certain(tree, profile, graph, is_partial, factor)
  local found = guesses.of(profile, graph.callers)
  if not found then return end
  profile:find_limits "calls"
  local is_known, certain = { [0] = true }, {}
  for node = 1, tree.count do
    local id, parent = tree.id[node], tree.parent[node]
    local is_inlined = tree.place[node] ~= id
    local is_below = parent == 0 and (is_partial or found.is_single(id)) or
      parent > 0 and (is_inlined or found.is_only(tree.id[parent], id))
    is_known[node] = is_known[parent] and is_below
    local least = is_known[node] and (is_inlined and tree.self[node] or
      round(profile:get(id, "least_ticks") * factor)) or 0
    certain[node] = math.min(math.max(least, 0), tree.weight[node])
  end
  tree.certain, tree.guessed = certain, not is_partial and found.share or nil
end

-- Returns a tree with the root alone.
local function root_of(weight)
  return { count = 0, place = {}, id = {}, weight = { [0] = weight }, self = { [0] = 0 },
    rest = { [0] = 0 }, hidden = { [0] = 0 }, parent = {}, depth = { [0] = 0 },
    first = { [0] = 1 }, last = { [0] = 0 } }
end

--- Builds the call tree, in columns: arrays that nodes index by their numbers. The root,
-- which has the total time, is node 0.
-- @tparam profile profile by function, with a histogram
-- @tparam[opt] table how
--
--   - `from`: ids of functions to use as roots;
--   - `least`: smallest fraction of the total time that a node can have;
--   - `most`: maximum number of nodes;
--   - `depth`: maximum depth
-- @treturn table with the fields `count`, the number of nodes below the root; `parts`,
--   weight per unit of time; `all`, the weight of the total time; and the columns
--
--   - `id`: the id of a function or cycle; nil in the root;
--   - `weight`: its total time, an integer;
--   - `self`: the part of the weight spent in its own code;
--   - `rest`: the part spent in callees without a node;
--   - `hidden`: the number of these callees;
--   - `first`, `last`: the numbers of its children, the heaviest first;
--   - `parent`; `depth`;
--   - `certain`: the part of the weight that is certain (see gprof.analysis.guesses); no
--     such column if the tree is measured
--
--   The estimated tree of a whole program also has `guessed`, the fraction of the time
--   that is guessed
function call_tree.columns(profile, how)
  how = how or {}
  local graph = (profile.exact and measured_graph or estimated_graph)(profile, how.from)
  local factor, all = extract.resolution(profile, 1000000), 0
  for ticks in profile:functions("sampled", "ticks") do
    all = all + round(ticks * factor)
  end
  local roots, times = graph.roots()
  local whole = 0
  for _, time in ipairs(times) do whole = whole + time end
  local tree = root_of(how.from and round(whole * factor) or all)
  local build = { graph = graph, heap = {}, tree = tree, most = how.most or MAX_NODES,
    deepest = math.min(how.depth or MAX_DEPTH, MAX_DEPTH),
    least = math.max((how.least or MIN_PART) * all, 0.5) }
  expand(build, 0, 0, roots, times, #roots, whole > 0 and tree.weight[0] / whole or 0)
  expand_all(build)
  tree.parts, tree.all = factor * profile.rate, all
  add_certain(tree, profile, graph, how.from ~= nil, factor)
  return tree
end

--- Builds the call tree, with a table for each node.
-- @tparam profile profile by function, with a histogram
-- @tparam[opt] table how as for `columns`
-- @treturn table with the fields `root`, `parts` and `all`. A node has the fields `id`,
--   `weight`, `self`, `rest`, `hidden`, `depth`, `parent`, which is a node, `children`,
--   an array of nodes, and `is_guess`, whether most of the weight is guessed
function call_tree.of(profile, how)
  local tree, nodes = call_tree.columns(profile, how), {}
  for number = 0, tree.count do
    local parent = nodes[tree.parent[number]]
    local node = { id = tree.id[number], weight = tree.weight[number],
      self = tree.self[number], rest = tree.rest[number], hidden = tree.hidden[number],
      depth = tree.depth[number], parent = parent, children = {},
      is_guess = parent and tree.certain and
        guesses.is_guess(tree.weight[number], tree.certain[number]) }
    nodes[number] = node
    if parent then table.insert(parent.children, node) end
  end
  return { root = nodes[0], parts = tree.parts, all = tree.all, guessed = tree.guessed }
end

return call_tree
