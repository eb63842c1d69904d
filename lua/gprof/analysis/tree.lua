--- The tree of calls, from the roots down to where time was spent, as far as a call graph
-- can tell of it: the estimate of gprof.analysis.chains, seen from above.
--
-- A node is a function, or a cycle, on behalf of all those above it. Its time goes on to
-- what it called as the time of the function as a whole does: all calls of a function
-- cost the same, whoever they are for (see gprof.analysis.callers). So the tree says what
-- chains that begin alike say together. But there can be any number of these, each next
-- to nothing: the tree is made from the heaviest node on, as far as there is room, and
-- what is below a node that was come to no more is one number, its rest.
--
-- @internal gprof.analysis.tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local callers = require "gprof.analysis.callers"
local extract = require "gprof.analysis.extract"

local tree = {}

-- The least of all time that a node is made for, how many there are, and how deep they
-- are, unless somebody says so.
local LEAST <const>, MOST <const>, DEEPEST <const> = 1e-5, 32768, 1000

-- What of a node's time may be lost by rounding: less is no reason to call it a root.
local NOISE <const> = 1e-9

-- By number, what is below functions and cycles: arrays of { id, part }, the part of the
-- time of what is there; and of each the part that it has without any caller.
local function turned(graph, ids)
  local below, rootless = {}, {}
  local function put(upper, lower, part)
    below[upper] = below[upper] or {}
    table.insert(below[upper], { id = lower, part = part })
    rootless[lower] = (rootless[lower] or 0) + part
  end
  for _, id in ipairs(ids) do
    local cycle = not graph.stay[id] and graph.cycles[id]
    if cycle then put(cycle, id, 1) end
    for _, caller in ipairs(graph.above[id] or {}) do put(caller.id, id, caller.part) end
  end
  return below, rootless
end

-- The times of nodes with what is below them, which are known first: the graph has no
-- cycles any more.
local function add_up(self, below, ids)
  local total, places, stack = {}, {}, {}
  local function finish(id)
    local sum = self[id] or 0
    for _, lower in ipairs(below[id] or {}) do
      sum = sum + lower.part * total[lower.id]
    end
    total[id], stack[#stack] = sum, nil
  end
  for _, id in ipairs(ids) do
    if not total[id] then stack[1] = id end
    while stack[1] do
      local at = stack[#stack]
      places[at] = (places[at] or 0) + 1
      local lower = below[at] and below[at][places[at]]
      if not lower then
        finish(at)
      elseif not total[lower.id] then
        stack[#stack + 1] = lower.id
      end
    end
  end
  return total
end

-- The amounts become times; the largest come first.
local function weigh(list, total)
  for _, entry in ipairs(list) do entry.time = entry.part * total[entry.id] end
  table.sort(list, function(a, b)
    if a.time ~= b.time then return a.time > b.time end
    return a.id < b.id
  end)
  return list
end

-- The graph from above: by number `self` and `total`, in ticks, and `below`; `roots`.
local function graph_of(profile)
  local graph, ids, self = callers.of(profile), {}, {}
  for id, ticks in profile:functions("address", "id", "ticks") do
    ids[#ids + 1], self[id] = id, ticks
  end
  for cycle in profile:cycles() do ids[#ids + 1] = cycle.id end
  local below, rootless = turned(graph, ids)
  local total, roots = add_up(self, below, ids), {}
  for _, list in pairs(below) do weigh(list, total) end
  for _, id in ipairs(ids) do
    local part = 1 - (rootless[id] or 0)
    if part > NOISE and total[id] > 0 then
      roots[#roots + 1] = { id = id, part = part }
    end
  end
  return { self = self, total = total, below = below, roots = weigh(roots, total) }
end

-- The nodes that wait for their children, as a heap: the heaviest comes first, and of
-- equal ones the one that is older.
local function comes_before(a, b)
  if a.weight ~= b.weight then return a.weight > b.weight end
  return a.number < b.number
end

local function push(heap, node)
  local at = #heap + 1
  while at > 1 and comes_before(node, heap[at // 2]) do
    heap[at], at = heap[at // 2], at // 2
  end
  heap[at] = node
end

local function pop(heap)
  local first, last, at = heap[1], table.remove(heap), 1
  if not heap[1] then return first end
  while 2 * at <= #heap do
    local lower = 2 * at
    if heap[lower + 1] and comes_before(heap[lower + 1], heap[lower]) then
      lower = lower + 1
    end
    if not comes_before(heap[lower], last) then break end
    heap[at], at = heap[lower], lower
  end
  heap[at] = last
  return first
end

local function round(number)
  return math.floor(number + 0.5)
end

-- Divides the time of a node into its own, that of its children, and the rest. Sums are
-- rounded, and not parts, so that nothing is lost or added.
local function divide(made, node, own, list, whole)
  local units = whole > 0 and node.weight / whole or 0
  local sum = own
  node.self, node.rest, node.children = round(own * units), 0, {}
  for i, entry in ipairs(list) do
    local before = round(sum * units)
    if entry.time * units < made.least or made.count >= made.most or
      node.depth >= made.deepest
    then
      node.rest, node.hidden = node.weight - before, #list - i + 1
      return
    end
    sum = sum + entry.time
    made.count = made.count + 1
    local child = { id = entry.id, weight = round(sum * units) - before, parent = node,
      depth = node.depth + 1, number = made.count, self = 0, rest = 0, children = {} }
    node.children[#node.children + 1] = child
    push(made.heap, child)
  end
end

-- The nodes that a tree is to begin with: all roots, or functions that somebody names, as
-- if nobody called them.
local function beginnings(graph, from)
  if not from then return graph.roots end
  local list = {}
  for i, id in ipairs(from) do list[i] = { id = id, part = 1 } end
  return weigh(list, graph.total)
end

--- Makes it.
-- @tparam profile profile by function, with a histogram
-- @tparam[opt] table how `from`: numbers of functions to begin with, in place of the
--   roots; `least`: the part of all time that a node is made for; `most`: how many there
--   are; `depth`: how deep they are
-- @treturn table `root`, a node that stands for all: nodes have `id`, the number of a
--   function or cycle, nil in the root; `weight`, in whole parts of a unit; `self`, what
--   is its own of that, `rest`, what is not shown below it, and `hidden`, how many
--   callees that is of, if it is known; `children`, the heaviest first; `parent` and
--   `depth`. `parts`, how many of them the unit has; `all`, the weight of all time
function tree.of(profile, how)
  how = how or {}
  local factor, graph, all = extract.units(profile, 1000000), graph_of(profile), 0
  for _, ticks in pairs(graph.self) do all = all + round(ticks * factor) end
  local list, whole = beginnings(graph, how.from), 0
  for _, entry in ipairs(list) do whole = whole + entry.time end
  local root = { weight = how.from and round(whole * factor) or all, depth = 0 }
  local made = { heap = {}, count = 0, most = how.most or MOST,
    deepest = math.min(how.depth or DEEPEST, DEEPEST),
    least = math.max((how.least or LEAST) * all, 0.5) }
  divide(made, root, 0, list, whole)
  while made.heap[1] do
    local node = pop(made.heap)
    divide(made, node, graph.self[node.id] or 0, graph.below[node.id] or {},
      graph.total[node.id])
  end
  return { root = root, parts = factor * profile.rate, all = all }
end

return tree
