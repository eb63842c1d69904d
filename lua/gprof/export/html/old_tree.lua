--- The call tree of the old profile of a comparison, with the frames of the new one.
--
-- @internal gprof.export.html.old_tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local tree_list = require "gprof.export.html.tree_list"
local view_data = require "gprof.export.html.view_data"

local old_tree = {}

-- Returns the sides of a comparison if both trees were made in the same way; otherwise
-- nil, and why they were not.
local function sides_with_trees(comparison, content)
  local sides = (getmetatable(comparison) or {}).sides
  if not (sides and content.tree) then return nil end
  local old = sides.old.profile
  if not comparison.unit then return nil, "the old profile has no samples" end
  if not old then return nil, "the old profile was exported, without a call tree" end
  if arguments.wrong_object(old, "gprof.profile") then return nil end  -- it is closed
  if old.exact ~= content.profile.exact then
    return nil, "call paths are known in one of the runs only"
  end
  return sides
end

-- Returns the node of the new function for a row: the one of the same name, or else the
-- one with the most time.
local function node_of_row(row, name, node_of, content)
  local ids, best, most = row.new_ids, nil, -1
  if not ids[2] then return node_of[ids[1]] end
  for _, id in ipairs(ids) do
    local node, ticks = node_of[id], content.profile:get(id, "ticks")
    if node and content.names[node + 1] == name then return node end
    if ticks > most then best, most = node, ticks end
  end
  return best
end

-- Returns a table from ids in the old profile to nodes. A cycle is the one that the new
-- functions for its members are in.
local function nodes_of(sides, content, node_of)
  local old, nodes, cycle_of = sides.old.profile, {}, {}
  for _, f in ipairs(sides.old.functions) do
    local row = sides.row_of[f]
    nodes[f.id] = row and node_of_row(row, f.name, node_of, content)
  end
  for _, cycle in ipairs(content.cycles) do
    for id in cycle:members(nil, "id") do cycle_of[node_of[id]] = node_of[cycle.id] end
  end
  for cycle in old:cycles() do
    for id in cycle:members(nil, "id") do
      nodes[cycle.id] = nodes[cycle.id] or cycle_of[nodes[id]]
    end
  end
  return nodes
end

--- Returns the tree.
-- @tparam comparison comparison with the profile of the page as the new one
-- @tparam table content as for `gprof.export.html.page_data`
-- @tparam {[integer]=integer} node_of maps ids to nodes
-- @treturn string as from `view_data.tree`; null if the old profile has no such tree
-- @treturn string|nil why it has none, if the page has a tree
function old_tree.of(comparison, content, node_of)
  local sides, lack = sides_with_trees(comparison, content)
  if not sides then return "null", lack end
  local profile = sides.old.profile
  return view_data.tree({ profile = profile, tree = tree_list.of(profile) },
    nodes_of(sides, content, node_of), #content.ids + #content.cycles)
end

return old_tree
