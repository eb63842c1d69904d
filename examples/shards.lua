#!/usr/bin/env lua5.4
-- Sums the profiles of many processes, by group and in total:
--
--     lua5.4 examples/shards.lua directory OUT IMAGE */gmon.*
--     lua5.4 examples/shards.lua prefix OUT IMAGE web-*.gmon db-*.gmon
--
-- Writes OUT/GROUP.gmon for each group and OUT/all.gmon, and prints the number of profiles
-- in each. The group of a profile is the name of its directory without the path (host/web
-- and web are one group), or the file name up to the first "-" or ".". Each profile is read
-- once, and only the sums stay in memory. If a profile is invalid, nothing is written.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("shards.lua: ", message, "\n")
  os.exit(1)
end

-- Functions that return the group of a path.
local groupings <const> = {
  directory = function(path) return path:match "([^/]+)/[^/]*$" end,
  prefix = function(path) return path:match("[^/]*$"):match "^[^-.]+" end,
}

check(arg[4], "usage: shards.lua directory|prefix OUT IMAGE PROFILE...")
local find_group = check(groupings[arg[1]],
  ("unknown grouping '%s': use directory or prefix"):format(arg[1]))
local out = arg[2]
local image = check(gprof.image(arg[3]))

local function group_of(path)
  local name = find_group(path)
  check(name and not name:find "^%.", ("%s: has no %s to group by"):format(path, arg[1]))
  check(name ~= "all", path .. ": the group name 'all' is reserved for the total")
  return name
end

local groups, all = {}, gprof.data.new { image = image }
for i = 4, #arg do
  local name = group_of(arg[i])
  if not groups[name] then
    groups[name] = { name = name, count = 0, data = gprof.data.new { image = image } }
    table.insert(groups, groups[name])
  end
  check(groups[name].data:read(arg[i]))
  groups[name].count = groups[name].count + 1
end
for _, group in ipairs(groups) do check(all:merge(group.data)) end
table.insert(groups, { name = "all", count = #arg - 3, data = all })

for _, group in ipairs(groups) do
  local path = ("%s/%s.gmon"):format(out, group.name)
  check(group.data:write(path))
  print(("%6d  %s"):format(group.count, path))
end
