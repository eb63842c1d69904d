--- Chains (see gprof.analysis.chains) as a tree, in which common beginnings are merged.
--
-- @internal gprof.analysis.chain_tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local picked <const> = require "gprof.format.column_order".picked

local chain_tree = {}

--- The root, which is no function and is above the topmost links.
chain_tree.ROOT = 1

-- While the tree is built, `last` has the most recent child of each node, `before` the
-- child of the same parent that was added before a node, and `known` all children but the
-- most recent ones, by parent and id: most nodes have one child. `first_chain` has the
-- first chain that ends in a node, `next_chain` the next one of the same node. Lists end
-- with 0.

-- Adds a child to a node; returns its number.
local function add_node(tree, parent, id)
  local node, last = tree.count + 1, tree.last[parent]
  tree.count, tree.id[node], tree.depth[node] = node, id, tree.depth[parent] + 1
  tree.last[node], tree.before[node], tree.first_chain[node] = 0, last, 0
  if last > 0 then tree.known[parent << 32 | tree.id[last]] = last end
  tree.last[parent] = node
  return node
end

-- Returns the node in which the chain with a topmost link ends.
local function end_of(tree, list, link)
  local node, ids, below = chain_tree.ROOT, list.id, list.below
  while link > 0 do
    local id, child = ids[link], tree.last[node]
    if child == 0 or tree.id[child] ~= id then
      child = child > 0 and tree.known[node << 32 | id] or add_node(tree, node, id)
    end
    node, link = child, below[link]
  end
  return node
end

-- Returns the node in which each chain ends. Chains that differ only in their pieces
-- follow one another.
local function ends_of(tree, list)
  local ends, top, node = {}, 0, nil
  for chain, link in ipairs(list.top) do
    if link ~= top then top, node = link, end_of(tree, list, link) end
    ends[chain] = node
  end
  return ends
end

--- Merges chains.
-- @tparam table list from `chains.of`
-- @treturn table the tree, for `depth_first`; its column `id` has the functions and
--   cycles of nodes in the order of the chains
function chain_tree.of(list)
  local tree = { count = 1, known = {}, id = { 0 }, depth = { 0 }, last = { 0 },
    before = { 0 }, first_chain = { 0 } }
  local ends, first_chain, next_chain = ends_of(tree, list), tree.first_chain, {}
  for chain = #ends, 1, -1 do
    local node = ends[chain]
    first_chain[node], next_chain[chain] = chain, first_chain[node]
  end
  tree.next_chain = next_chain
  return tree
end

-- Pushes the children of a node, the first one last.
local function push_children(tree, node, stack, top, is_after)
  local from, child = top, tree.last[node]
  while child > 0 do
    top = top + 1
    stack[top], child = child, tree.before[child]
  end
  if is_after and top > from + 1 then
    local children = table.move(stack, from + 1, top, 1, {})
    table.sort(children, is_after)
    table.move(children, 1, #children, from + 1, stack)
  end
  return top
end

-- Returns the number of the first node after those below each node.
local function after_of(depth)
  local after, open, deepest, past = {}, {}, -1, #depth + 1
  for node, level in ipairs(depth) do
    for i = level, deepest do after[open[i]] = node end
    open[level], deepest, after[node] = node, level, past
  end
  return after
end

-- Returns the nodes in depth-first order.
local function order_of(tree, is_after)
  local order, count, stack, top = {}, 0, { chain_tree.ROOT }, 1
  while top > 0 do
    local node = stack[top]
    count = count + 1
    order[count] = node
    top = push_children(tree, node, stack, top - 1, is_after)
  end
  return order
end

-- Returns the chains in the order of the nodes in which they end, and the position of the
-- first one of each node, and of one more node.
local function chains_of(tree, order)
  local numbers, count, first = {}, 0, picked(tree.first_chain, order)
  for node, chain in ipairs(first) do
    first[node] = count + 1
    while chain > 0 do
      count = count + 1
      numbers[count], chain = chain, tree.next_chain[chain]
    end
  end
  first[#first + 1] = count + 1
  return numbers, first
end

--- Returns the nodes in depth-first order, the root first.
-- @tparam table tree
-- @tparam[opt] function is_after returns whether a child comes after another one of the
--   same parent; by default, they are in the order of the chains
-- @treturn table columns of nodes: `id`, of a function or cycle; `depth`, 0 for the root;
--   `after`, the number of the first node that comes after a node and is not below it;
--   and `first`, the position of its first chain in the column `chain`, which has the
--   chains in the order of the nodes in which they end. `first` has an element more than
--   there are nodes, so the chains of each node end before the next element
function chain_tree.depth_first(tree, is_after)
  local order = order_of(tree, is_after)
  local chain, first = chains_of(tree, order)
  local depth = picked(tree.depth, order)
  return { id = picked(tree.id, order), depth = depth, after = after_of(depth),
    first = first, chain = chain }
end

return chain_tree
