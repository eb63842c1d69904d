--- The tree of calls in a page (see gprof.analysis.tree): its nodes in one list.
--
-- @internal gprof.export.html.tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local trees = require "gprof.analysis.tree"

local tree = {}

--- What stands in the list for what is not shown below a node.
tree.HIDDEN = 0

--- Makes it.
-- @tparam profile profile by function, with a histogram
-- @treturn table `nodes`, parents before their children, each behind the whole of its
--   elder siblings: the first is the root, all of the time; each with `id`, of a function
--   or cycle, `tree.HIDDEN`, or nil for the root; `weight`, in whole parts of a unit; and
--   `parent`, its place, 0 for the root. `parts`, how many of them the unit has;
--   `hidden`, the part of all time that is not shown where it was spent
function tree.of(profile)
  local made = trees.of(profile)
  local nodes, stack, hidden = {}, { { node = made.root, parent = 0 } }, 0
  while stack[1] do
    local at = table.remove(stack)
    local node, number = at.node, #nodes + 1
    nodes[number] = { id = node.id, weight = node.weight, parent = at.parent }
    if (node.rest or 0) > 0 then
      hidden = hidden + node.rest
      stack[#stack + 1] = { parent = number,
        node = { id = tree.HIDDEN, weight = node.rest, children = {} } }
    end
    local list = node.children
    for i = #list, 1, -1 do stack[#stack + 1] = { node = list[i], parent = number } end
  end
  return { nodes = nodes, parts = made.parts, hidden = hidden / math.max(made.all, 1) }
end

return tree
