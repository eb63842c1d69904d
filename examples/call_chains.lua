#!/usr/bin/env lua5.4
-- Orders functions for a linker by clusters of call chains (Ottoni and Maher, "Optimizing
-- Function Placement for Large-Scale Data-Center Applications", CGO 2017), in place of
-- GNU gprof's heuristic:
--
--     lua5.4 examples/call_chains.lua FORMAT IMAGE PROFILE... > order
--
-- FORMAT is that of the file: lld, gold or ld (see `gprof.lua --order-format`); or
-- distance, to print the mean distance of calls, in bytes, in the order of the image, in
-- GNU gprof's order and in this one.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"
local linker_order = require "gprof.linker_order"

local MOST <const> = 4096  -- bytes in a cluster: a page

local function check(value, message)
  if value then return value end
  io.stderr:write("call_chains.lua: ", message, "\n")
  os.exit(1)
end

-- Returns a cluster for each function: an array of functions, with the `size` of their
-- code, and `calls`.
local function single_clusters(nodes, profile)
  local cluster_of = {}
  for _, id in ipairs(nodes) do
    local size, calls = profile:get(id, "size", "calls")
    cluster_of[id] = { id, size = size or 0, calls = calls, first = id }
  end
  return cluster_of
end

-- Returns the most frequent caller of each function.
local function main_callers(arcs)
  local caller_of = {}
  for caller, callee, count in arcs() do  -- by count, descending
    if count > 0 and caller ~= callee then
      caller_of[callee] = caller_of[callee] or caller
    end
  end
  return caller_of
end

-- Sorts by a key, descending; equal ones keep their order.
local function sort_by(list, key)
  local place = {}
  for i, item in ipairs(list) do place[item] = i end
  table.sort(list, function(a, b)
    local first, second = key(a), key(b)
    if first ~= second then return first > second end
    return place[a] < place[b]
  end)
end

-- The heuristic. From the most frequently called function on, the cluster of a function
-- is appended to that of its most frequent caller, unless it becomes too large. Clusters
-- are sorted by density: calls per byte.
local function by_clusters(nodes, arcs, profile)
  local cluster_of, caller_of = single_clusters(nodes, profile), main_callers(arcs)
  local hottest, clusters, order = table.move(nodes, 1, #nodes, 1, {}), {}, {}
  sort_by(hottest, function(id) return cluster_of[id].calls end)
  for _, id in ipairs(hottest) do
    local from, into = cluster_of[id], cluster_of[caller_of[id]]
    if into and into ~= from and from.first == id and into.size + from.size <= MOST then
      for _, member in ipairs(from) do
        into[#into + 1], cluster_of[member] = member, into
      end
      into.size, into.calls = into.size + from.size, into.calls + from.calls
    end
  end
  for _, id in ipairs(nodes) do
    if cluster_of[id].first == id then clusters[#clusters + 1] = cluster_of[id] end
  end
  sort_by(clusters, function(cluster) return cluster.calls / math.max(cluster.size, 1) end)
  for _, cluster in ipairs(clusters) do table.move(cluster, 1, #cluster, #order + 1, order) end
  return order
end

local function print_distances(profile)
  local nodes, sizes, arcs = {}, {}, linker_order.calls(profile)
  for id, address, size in profile:functions("address", "id", "address", "size") do
    if address then nodes[#nodes + 1], sizes[id] = id, size end
  end
  local orders <const> = { { "image", nodes },
    { "GNU gprof", linker_order.functions(nodes, arcs) },
    { "call chains", by_clusters(nodes, arcs, profile) } }
  for _, order in ipairs(orders) do
    print(("%-12s %8.0f"):format(order[1], linker_order.distance(order[2], arcs, sizes)))
  end
end

check(arg[3], "usage: call_chains.lua FORMAT IMAGE PROFILE...")
local is_known = ({ lld = true, gold = true, ld = true, distance = true })[arg[1]]
check(is_known, ("FORMAT must be lld, gold, ld or distance, not '%s'"):format(arg[1]))
local image = check(gprof.image(arg[2]))
local profile = check(gprof.profile(image, check(gprof.data(image, table.unpack(arg, 3)))))
if arg[1] == "distance" then
  print_distances(profile)
else
  profile:report("function_order", { order_format = arg[1], heuristic = by_clusters })
end
