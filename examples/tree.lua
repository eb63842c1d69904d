#!/usr/bin/env lua5.4
-- The tree of calls, with the time of each branch:
--
--     lua5.4 examples/tree.lua DEPTH PERCENT IMAGE PROFILE...
--
--     100.00       1.23  main
--      61.24       0.75  ├─ interpret
--      40.13       0.49  │  └─ <cycle 1> ↺
--      20.28       0.25  └─ rank
--
-- is percent, seconds, and who spent them, here and in all that was called from here. It
-- goes DEPTH levels deep, and leaves out what has less than PERCENT of the time. "↺"
-- marks recursion, of a function by itself or of a cycle, whose functions share a place.
--
-- What is known is the time of calls from one function to another. Where a function is in
-- the tree several times, each place gets of what is below as much as it has of the
-- function: an estimate, like that of any time in a call graph.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
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
  ("DEPTH has to be a number from 1 on, not '%s'"):format(arg[1]))
-- Not 0: of branches without time there can be more than one can wait for.
check(least_percent and least_percent > 0,
  ("PERCENT has to be a number above 0, not '%s'"):format(arg[2]))
local image = check(gprof.image(arg[3]))
local data = check(gprof.data(image, table.unpack(arg, 4)))
local profile = check(gprof.profile(image, data))
check(profile.graph_ticks > 0, "nothing was sampled, so nothing is known of time")
local total = profile.graph_ticks / profile.rate

-- How much of a node's time was spent in each of its callees; all are functions, or whole
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

-- The nodes that a table of times has and that are worth a line, by time.
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

-- Writes a node, of which `time` was spent at this place, and what is below.
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

-- Roots are called by nobody that is known.
local roots = {}
for node in profile:entries() do
  if not node.cycle and node.calls == 0 then roots[node] = node.self + node.children end
end
for _, root in ipairs(sorted(roots)) do write(root, roots[root], 1, "", "") end
