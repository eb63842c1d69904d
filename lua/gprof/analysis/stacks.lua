--- The measured stacks of a profile as a tree from the roots down.
--
-- A node is a function, called through all nodes above it. Nodes have numbers from 1;
-- those of callers are lower. Members of a cycle are nodes of their own.
--
-- @internal gprof.analysis.stacks
-- SPDX-License-Identifier: GPL-3.0-or-later

local stacks = {}

-- Returns the node of a function below another node (0: at the root), which is added if
-- it is new.
local function enter(tree, parent, id)
  local places = tree.places
  places[parent] = places[parent] or {}
  local node = places[parent][id]
  if not node then
    node = #tree.id + 1
    tree.parent[node], tree.id[node], tree.self[node] = parent, id, 0
    places[parent][id] = node
  end
  return node
end

-- Adds all stacks, or the parts of stacks from the outermost call of function `from` on.
local function add(tree, profile, from)
  local node_of = {}
  for number, caller, id, ticks in profile:stacks() do
    local parent = node_of[caller]
    if parent or not from or id == from then
      local node = enter(tree, parent or 0, id)
      node_of[number], tree.self[node] = node, tree.self[node] + ticks
    end
  end
end

-- Computes the total time of each node, and lists the nodes below each one: those with
-- the most time first, and of equal ones, those with the lowest address.
local function finish(tree)
  local total, below = tree.total, tree.below
  for node, ticks in ipairs(tree.self) do total[node] = ticks end
  for node = #tree.id, 1, -1 do
    local parent = tree.parent[node]
    if parent > 0 then total[parent] = total[parent] + total[node] end
    below[parent] = below[parent] or {}
    table.insert(below[parent], node)
  end
  for _, list in pairs(below) do
    table.sort(list, function(a, b)
      if total[a] ~= total[b] then return total[a] > total[b] end
      return tree.id[a] < tree.id[b]
    end)
  end
  return tree
end

--- Makes the tree.
-- @tparam profile profile whose times are measured
-- @tparam[opt] {integer,...} from ids of functions: they are the roots, each with the
--   stacks below its calls. A stack counts once for each of them
-- @treturn table the tables `parent` (0 for roots), `id` (of the function), `self` and
--   `total` (ticks), indexed by node; and `below`, an array of nodes for each node, or
--   for 0
function stacks.of(profile, from)
  local tree = { parent = {}, id = {}, self = {}, total = {}, below = {}, places = {} }
  for _, id in ipairs(from or { false }) do add(tree, profile, id) end
  tree.places = nil
  return finish(tree)
end

return stacks
