--- The tree of calls in a page: chains that begin alike, put together. Like these it is
-- an estimate (see gprof.chains).
--
-- @internal gprof.html.tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local chains = require "gprof.chains"
local extract = require "gprof.extract"

local tree = {}

-- The least of all time that a node is there for, and how many there are at most.
local LEAST <const>, MOST <const> = 1 / 5000, 20000

local function add_chain(root, chain)
  local node, link = root, chain.top
  root.weight = root.weight + chain.weight
  while link do
    local child = node.children[link.id]
    if not child then
      child = { id = link.id, weight = 0, children = {} }
      node.children[link.id] = child
    end
    child.weight = child.weight + chain.weight
    node, link = child, link.below
  end
end

-- The children that are heavy enough, the heaviest first.
local function heavy(node, least)
  local list = {}
  for _, child in pairs(node.children) do
    if child.weight >= least then list[#list + 1] = child end
  end
  table.sort(list, function(a, b)
    if a.weight ~= b.weight then return a.weight > b.weight end
    return a.id < b.id
  end)
  return list
end

-- All nodes that are heavy enough, parents before their children, each behind the whole
-- of its elder siblings; nil if there are too many.
local function nodes_of(root, least)
  local nodes, stack = {}, { { node = root, parent = 0 } }
  while stack[1] do
    local at = table.remove(stack)
    nodes[#nodes + 1] = { id = at.node.id, weight = at.node.weight, parent = at.parent }
    if #nodes > MOST then return nil end
    local number, list = #nodes, heavy(at.node, least)
    for i = #list, 1, -1 do stack[#stack + 1] = { node = list[i], parent = number } end
  end
  return nodes
end

--- Makes it.
-- @tparam profile profile by function, with a histogram
-- @treturn table `nodes`: the first is the root, all of the time; each with `id`, of a
--   function or cycle, `chains.TRUNCATED`, or nil for the root; `weight`, in whole parts
--   of a unit; and `parent`, its place, 0 for the root. `parts`, how many of them the
--   unit has; `truncated`, the part of all time whose first callers are not known
function tree.of(profile)
  local factor = extract.units(profile, 1000000)
  local list, truncated = chains.of(profile, factor)
  local root = { weight = 0, children = {} }
  for _, chain in ipairs(list) do add_chain(root, chain) end
  local least = LEAST
  local nodes = nodes_of(root, least * root.weight)
  while not nodes do
    least = 2 * least
    nodes = nodes_of(root, least * root.weight)
  end
  return { nodes = nodes, parts = factor * profile.rate, truncated = truncated }
end

return tree
