#!/usr/bin/env lua5.4
-- Prints the ten hottest call paths, from a root down to where the time was spent.
--
--     lua5.4 examples/hot_paths.lua IMAGE PROFILE...
--
-- The time of a path is the self time of its last function when called along this path. It
-- is an estimate: a profile records calls from one function to another, but not who called
-- the caller. So the time of main is divided among main's callees in proportion to the
-- times of the arcs to them. The share of each callee is divided among its own callees,
-- and so on, as if each function behaved alike for all callers. The functions of a cycle
-- are one step of a path.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local PATHS <const> = 10
local MIN_SHARE <const> = 0.001  -- of all time; without it there can be too many paths

local function check(value, message)
  if value then return value end
  io.stderr:write("hot_paths.lua: ", message, "\n")
  os.exit(1)
end

check(arg[2], "usage: hot_paths.lua IMAGE PROFILE...")
local image = check(gprof.image(arg[1]))
local data = check(gprof.data(image, table.unpack(arg, 2)))
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

-- Adds the path `above` > `node`, and all paths that start with it. `time` is the part of
-- the node's total time that belongs to these paths.
local paths = {}
local function follow(node, time, above)
  if time < MIN_SHARE * total then return end
  local share = time / (node.self + node.children)
  local text = above and above .. " > " .. node.name or node.name
  table.insert(paths, { time = share * node.self, text = text })
  for callee, all in pairs(times_below(node)) do follow(callee, share * all, text) end
end

for node in profile:entries() do
  -- a root has no known callers
  if not node.cycle and node.calls == 0 then follow(node, node.self + node.children) end
end
table.sort(paths, function(a, b)
  if a.time ~= b.time then return a.time > b.time end
  return a.text < b.text
end)

print(("%10s      %%  path"):format(profile.unit))
for i = 1, math.min(PATHS, #paths) do
  local time, text = paths[i].time, paths[i].text
  if time > 0 then print(("%10.2f %6.2f  %s"):format(time, 100 * time / total, text)) end
end
