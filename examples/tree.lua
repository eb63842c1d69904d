#!/usr/bin/env lua5.4
-- Prints the call tree with the time of each branch:
--
--     lua5.4 examples/tree.lua DEPTH PERCENT IMAGE PROFILE...
--
--     100.00       1.23  main
--      61.24       0.75  ├─ interpret
--      40.13       0.49  │  └─ <cycle 1> ↺
--      20.28       0.25  └─ rank
--
-- The columns are the percentage, the seconds and the function; times include callees. The
-- tree is DEPTH levels deep; branches with less than PERCENT of the time are left out. "↺"
-- marks a recursive function, or a cycle, whose functions are one node.
--
-- A profile records the time of calls from one function to another, but no stacks. If a
-- function is in the tree several times, its callees' time is divided among its places in
-- proportion to the function's time there: an estimate, like the times of a call graph.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("tree.lua: ", message, "\n")
  os.exit(1)
end

check(arg[4], "usage: tree.lua DEPTH PERCENT IMAGE PROFILE...")
local most_depth, least_percent = math.tointeger(tonumber(arg[1])), tonumber(arg[2])
check(most_depth and most_depth > 0,
  ("DEPTH must be a positive integer, not '%s'"):format(arg[1]))
-- 0 is refused, since the number of call paths without time can be exponential.
check(least_percent and least_percent > 0,
  ("PERCENT must be a number above 0, not '%s'"):format(arg[2]))
local image = check(gprof.image(arg[3]))
local data = check(gprof.data(image, table.unpack(arg, 4)))
local profile = check(gprof.profile(image, data))
check(profile.graph_ticks > 0, "the profiles have no samples, so there are no times")
local total = profile.graph_ticks / profile.rate

-- Returns the time that a node spent in each of its callees. Nodes are functions or whole
-- cycles.
local function times_below(node)
  local times = {}
  for arc in node:callees() do
    if not arc.recursive then
      local callee = arc.callee.cycle or arc.callee
      times[callee] = (times[callee] or 0) + arc.self + arc.children
    end
  end
  return times
end

-- Returns the nodes whose time is above the threshold, most time first.
local function sorted(times)
  local nodes = {}
  for node, time in pairs(times) do
    if 100 * time >= least_percent * total then table.insert(nodes, node) end
  end
  table.sort(nodes, function(a, b)
    if times[a] ~= times[b] then return times[a] > times[b] end
    return a.index < b.index
  end)
  return nodes
end

-- Writes a node, which has `time` at this place in the tree, and the nodes below it.
local function write(node, time, depth, lead, indent)
  print(("%6.2f %10.2f  %s%s%s"):format(100 * time / total, time, lead, node.name,
    node.self_calls > 0 and " ↺" or ""))
  if depth == most_depth then return end
  local times, share = {}, time / (node.self + node.children)
  for callee, all in pairs(times_below(node)) do times[callee] = share * all end
  local callees = sorted(times)
  for i, callee in ipairs(callees) do
    local last = i == #callees
    write(callee, times[callee], depth + 1, indent .. (last and "└─ " or "├─ "),
      indent .. (last and "   " or "│  "))
  end
end

-- Roots are functions and cycles without known callers.
local roots = {}
for node in profile:entries() do
  if not node.cycle and node.calls == 0 then roots[node] = node.self + node.children end
end
for _, root in ipairs(sorted(roots)) do write(root, roots[root], 1, "", "") end
