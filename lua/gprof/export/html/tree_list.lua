--- The call tree of a page (see gprof.analysis.call_tree) as a list of nodes.
--
-- @internal gprof.export.html.tree_list
-- SPDX-License-Identifier: GPL-3.0-or-later

local call_tree = require "gprof.analysis.call_tree"

local tree_list = {}

--- The `id` of a node that stands for all hidden callees of its parent.
tree_list.HIDDEN = 0

--- Makes the list.
-- @tparam profile profile by function, with a histogram
-- @treturn table `nodes`: depth first, from the root, whose time is the total time. Each
--   has `id` (of a function or cycle, `tree_list.HIDDEN`, or nil for the root), `weight`
--   (an integer) and `parent` (an index; 0 for the root); `parts`: weight per unit of
--   time
function tree_list.of(profile)
  local tree = call_tree.of(profile)
  local nodes, stack = {}, { { node = tree.root, parent = 0 } }
  while stack[1] do
    local at = table.remove(stack)
    local node, number = at.node, #nodes + 1
    nodes[number] = { id = node.id, weight = node.weight, parent = at.parent }
    if (node.rest or 0) > 0 then
      stack[#stack + 1] = { parent = number,
        node = { id = tree_list.HIDDEN, weight = node.rest, children = {} } }
    end
    local list = node.children
    for i = #list, 1, -1 do stack[#stack + 1] = { node = list[i], parent = number } end
  end
  return { nodes = nodes, parts = tree.parts }
end

return tree_list
