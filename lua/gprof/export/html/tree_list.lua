--- The call tree of a page (see gprof.analysis.call_tree) as a list of nodes.
--
-- @internal gprof.export.html.tree_list
-- SPDX-License-Identifier: GPL-3.0-or-later

local call_tree = require "gprof.analysis.call_tree"

local tree_list = {}

--- The id of the root.
tree_list.ROOT = -1

--- The id of a node that stands for all hidden callees of its parent.
tree_list.HIDDEN = 0

--- Makes the list.
-- @tparam profile profile by function, with a histogram
-- @treturn table the nodes in columns, depth first, from the root, whose time is the
--   total time: `ids` (of a function or cycle, `tree_list.ROOT` or `tree_list.HIDDEN`),
--   `weights` (integers), `certain` (what is not guessed of each weight; nil if the tree
--   is measured) and `parents` (indexes; 0 for the root). And `parts`: weight per unit of
--   time; `guessed`: the fraction of the time that is guessed, if the tree is estimated
function tree_list.of(profile)
  local tree = call_tree.columns(profile)
  local ids, weights, parents = {}, {}, {}
  local known, certain = tree.certain, tree.certain and {}
  -- The nodes to add, and the indexes of their parents. -1 - N is the rest of node N.
  local nodes, above, count = { 0 }, { 0 }, 1
  local function put(node, parent)
    count = count + 1
    nodes[count], above[count] = node, parent
  end
  while count > 0 do
    local node, at = nodes[count], #ids + 1
    parents[at], count = above[count], count - 1
    if node < 0 then
      ids[at], weights[at] = tree_list.HIDDEN, tree.rest[-1 - node]
      if known then certain[at] = weights[at] end
    else
      ids[at], weights[at] = tree.id[node] or tree_list.ROOT, tree.weight[node]
      if known then certain[at] = known[node] or weights[at] end
      if tree.rest[node] > 0 then put(-1 - node, at) end
      for child = tree.last[node], tree.first[node], -1 do put(child, at) end
    end
  end
  return { ids = ids, weights = weights, certain = certain, parents = parents,
    parts = tree.parts, guessed = tree.guessed }
end

return tree_list
