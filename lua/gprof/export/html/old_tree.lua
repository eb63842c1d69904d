--- The call tree of the old profile of a comparison, with the frames of the new one.
--
-- @internal gprof.export.html.old_tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local changes = require "gprof.analysis.changes"
local matching = require "gprof.analysis.matching"
local path_share = require "gprof.analysis.path_share"
local tree_list = require "gprof.export.html.tree_list"
local view_data = require "gprof.export.html.view_data"

local old_tree = {}

-- Returns the old profile of a comparison if both trees are made in the same way;
-- otherwise nil, and why they are not.
local function profile_with_tree(comparison, content)
  local old = changes.of(comparison).sides.old.profile
  if not content.tree then return nil end
  if not comparison.unit then return nil, "the old profile has no samples" end
  if not old then return nil, "the old profile was exported, without a call tree" end
  if arguments.wrong_object(old, "gprof.profile") then return nil end  -- it is closed
  if old.exact ~= content.profile.exact then
    return nil, "call paths are known in one of the runs only"
  end
  for _, name in ipairs { "old", "new" } do
    local share = comparison[name].path_share
    if share < 1 then
      return nil, ("%s of the %s run"):format(path_share.clause(share), name)
    end
  end
  return old
end

-- Returns the node of the function that a new one stands for: of those with a name, or
-- else of the one with the most time.
local function node_of_function(is, name, node_of, content)
  local best, most = nil, -1
  if not is.members then return node_of[is.id] end
  for _, f in ipairs(is.members) do
    local node = node_of[f.id]
    if node and content.names[node + 1] == name then return node end
    if f.ticks > most then best, most = node, f.ticks end
  end
  return best
end

-- Returns a table from ids in the old profile to nodes. A cycle is the one that the new
-- functions for its members are in.
local function nodes_of(old, columns, content, node_of)
  local nodes, cycle_of, is = {}, {}, columns.is
  for number, was in ipairs(columns.was) do
    for _, f in ipairs(matching.members(was)) do
      nodes[f.id] = node_of_function(is[number], f.name, node_of, content)
    end
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
  local profile, lack = profile_with_tree(comparison, content)
  if not profile then return "null", lack end
  local nodes = nodes_of(profile, changes.of(comparison).columns, content, node_of)
  return view_data.tree({ profile = profile, tree = tree_list.of(profile) }, nodes,
    #content.ids + #content.cycles)
end

return old_tree
