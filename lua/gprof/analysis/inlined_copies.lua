--- The copies of an inlined function as one node of the estimated call tree.
--
-- A graph is a table with these columns, by key of a node: `names`, the id of an inlined
-- function; `self` and `total`, ticks; and `rows`, see gprof.analysis.callees.
--
-- @internal gprof.analysis.inlined_copies
-- SPDX-License-Identifier: GPL-3.0-or-later

local callees = require "gprof.analysis.callees"

local inlined_copies = {}

-- Returns an array of the nodes below each node; of the roots, below 0.
local function inner_nodes(trees)
  local inner = {}
  for node, outer in ipairs(trees.outer) do
    inner[outer] = inner[outer] or {}
    table.insert(inner[outer], node)
  end
  return inner
end

--- Finds the copies of functions.
-- @tparam {integer,...} ids of functions
-- @tparam table trees from gprof.analysis.inlined_code
-- @tparam {integer,...} keys of the nodes of these trees
-- @treturn {[integer]=table} for each function, an array: its id, for its compiled code;
--   and the keys of its inlined copies, except those that are part of another copy
function inlined_copies.find(ids, trees, keys)
  local copies, depth, inner, stack = {}, {}, inner_nodes(trees), {}
  for _, id in ipairs(ids) do copies[id], depth[id] = { id }, 0 end
  for _, node in ipairs(inner[0] or {}) do stack[#stack + 1] = node end
  while stack[1] do
    local node = table.remove(stack)  -- negative: all nodes below it were visited
    local id = trees.id[math.abs(node)]
    if node < 0 then
      depth[id] = depth[id] - 1
    else
      if depth[id] then
        local is_copy = depth[id] == 0 and keys[node] ~= id
        if is_copy then table.insert(copies[id], keys[node]) end
        depth[id], stack[#stack + 1] = depth[id] + 1, -node
      end
      for _, below in ipairs(inner[node] or {}) do stack[#stack + 1] = below end
    end
  end
  return copies
end

-- Collects the callees of several nodes, in order of appearance, each once: `id`, and
-- either `keys`, the copies of an inlined function, or the `part` of the time of a
-- compiled one.
local function callees_of(graph, keys)
  local list, known = {}, {}
  for _, key in ipairs(keys) do
    local lowers, parts = callees.of(graph.rows, key)
    for i, lower in ipairs(lowers) do
      local name = graph.names[lower]
      local id = name or lower
      local place = name and -id or id
      local callee = known[place] or { id = id, part = 0, keys = name and {} }
      if not known[place] then list[#list + 1] = callee end
      known[place], callee.part = callee, callee.part + parts[i]
      if name then table.insert(callee.keys, lower) end
    end
  end
  return list
end

--- Joins nodes of the same function: their times are added up, and inlined callees of the
-- same name are joined in turn when they are needed.
-- @tparam table graph
-- @tparam integer last the highest key so far
-- @treturn function takes the id of a function and an array of keys; returns the key of a
--   node that stands for all of them
-- @treturn function takes the key of a node, and adds the rows of its callees if they are
--   missing
function inlined_copies.joiner(graph, last)
  local members = {}
  local function join(id, keys)
    if #keys == 1 then return keys[1] end
    local self, total = 0, 0
    for _, key in ipairs(keys) do
      self, total = self + (graph.self[key] or 0), total + graph.total[key]
    end
    last = last + 1
    members[last], graph.names[last] = keys, id
    graph.self[last], graph.total[last] = self, total
    return last
  end
  local function open(key)
    if not members[key] or graph.rows.first[key] then return end
    for _, callee in ipairs(callees_of(graph, members[key])) do
      local lower = callee.keys and join(callee.id, callee.keys) or callee.id
      callees.add(graph.rows, key, lower, callee.keys and 1 or callee.part)
    end
  end
  return join, open
end

return inlined_copies
