#!/usr/bin/env lua5.4
-- The ten hottest paths: chains of calls, from a root to where the time was spent.
--
--     lua5.4 examples/hot_paths.lua IMAGE PROFILE...
--
-- The time of a path is that of the code of its last function, when it was called this
-- way. That is an estimate: a profile knows the time of calls from one function to
-- another, but not who had called the caller. So the time of main is shared among the
-- functions that it called, as their arcs tell, each share among what that one called,
-- and so on; as if a function did the same for all its callers, in proportion to the time
-- of their arcs. The functions of a cycle of recursion are one step of a path.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local PATHS <const> = 10
local LEAST <const> = 0.001  -- of all time: of less there may be more paths than atoms

local function check(value, message)
  if value then return value end
  io.stderr:write("hot_paths.lua: ", message, "\n")
  os.exit(1)
end

check(arg[2], "usage: hot_paths.lua IMAGE PROFILE...")
local image = check(gprof.image(arg[1]))
local data = check(gprof.data(image, table.unpack(arg, 2)))
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

-- Adds the path that goes on from `above`, which has `time` of a node, and those beyond.
local paths = {}
local function follow(node, time, above)
  if time < LEAST * total then return end
  local share = time / (node.self + node.children)
  local text = above and above .. " > " .. node.name or node.name
  table.insert(paths, { time = share * node.self, text = text })
  for callee, all in pairs(times_below(node)) do follow(callee, share * all, text) end
end

for node in profile:entries() do
  -- a root: called by nobody that is known
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
