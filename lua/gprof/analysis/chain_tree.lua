--- Chains (see gprof.analysis.chains) as a tree, in which common beginnings are merged.
--
-- @internal gprof.analysis.chain_tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local chain_tree = {}

--- The root, which is no function and is above the topmost links.
chain_tree.ROOT = 1

-- Adds a child to a node; returns its number.
local function add_node(tree, parent, id)
  local node, last = #tree.id + 1, tree.last[parent]
  tree.id[node], tree.depth[node] = id, tree.depth[parent] + 1
  tree.first[node], tree.last[node], tree.next[node] = 0, 0, 0
  tree.first_chain[node], tree.last_chain[node] = 0, 0
  if last == 0 then tree.first[parent] = node else tree.next[last] = node end
  tree.last[parent] = node
  return node
end

-- Returns the node in which a chain ends. `known` has the nodes by parent and id.
local function end_of(tree, known, list, chain)
  local node, link, ids, below = chain_tree.ROOT, list.top[chain], list.id, list.below
  while link > 0 do
    local key = node << 32 | ids[link]
    local child = known[key]
    if not child then
      child = add_node(tree, node, ids[link])
      known[key] = child
    end
    node, link = child, below[link]
  end
  return node
end

-- Adds a chain to the list of those that end in a node.
local function append_chain(tree, node, chain)
  local last = tree.last_chain[node]
  if last == 0 then
    tree.first_chain[node] = chain
  else
    tree.next_chain[last] = chain
  end
  tree.last_chain[node], tree.next_chain[chain] = chain, 0
end

--- Merges chains.
-- @tparam table list from `chains.of`
-- @treturn table columns of nodes, in the order of the chains: `id`, of a function or
--   cycle; `depth`, 0 for the root; `first`, `last` and `next`, the list of a node's
--   children; and `first_chain`, `last_chain` and `next_chain`, the list of the chains
--   that end in a node. Lists end with 0
function chain_tree.of(list)
  local tree = { id = { 0 }, depth = { 0 }, first = { 0 }, last = { 0 }, next = { 0 },
    first_chain = { 0 }, last_chain = { 0 }, next_chain = {} }
  local known = {}
  for chain = 1, #list.top do
    append_chain(tree, end_of(tree, known, list, chain), chain)
  end
  return tree
end

-- Pushes the children of a node, the first one last.
local function push_children(tree, node, stack, top, before)
  local from, child = top, tree.first[node]
  while child > 0 do
    top = top + 1
    stack[top], child = child, tree.next[child]
  end
  if before and top > from + 1 then
    local children = table.move(stack, from + 1, top, 1, {})
    table.sort(children, before)
    table.move(children, 1, #children, from + 1, stack)
  end
  for i = 1, (top - from) // 2 do
    stack[from + i], stack[top + 1 - i] = stack[top + 1 - i], stack[from + i]
  end
  return top
end

--- Returns the nodes in depth-first order, the root first.
-- @tparam table tree
-- @tparam[opt] function before compares two children, as for `table.sort`; by default,
--   they are in the order of the chains
-- @treturn {integer,...} numbers of nodes
function chain_tree.depth_first(tree, before)
  local order, stack, top = {}, { chain_tree.ROOT }, 1
  while top > 0 do
    local node = stack[top]
    order[#order + 1] = node
    top = push_children(tree, node, stack, top - 1, before)
  end
  return order
end

return chain_tree
